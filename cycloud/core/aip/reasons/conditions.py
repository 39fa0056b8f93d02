"""Reasons of conditions (design of conditions: docs/architecture.md)."""

from cycloud.core.aip.reasons.reason import ConditionReason

__all__ = ["CONDITION_REASONS"]

_NOTHING = "Nothing; it goes on by itself."
_PLATFORM = "Ask your platform team; it is tried again by itself."

CONDITION_REASONS = (
    ConditionReason(
        "Updated",
        "Ready=True",
        "The instance runs as declared.",
        "Nothing.",
        "宣言どおりに動いています。",
    ),
    ConditionReason(
        "Stopped",
        "Ready=True",
        "The instance is stopped, as declared.",
        "Nothing.",
        "宣言どおりに停止しています。",
    ),
    ConditionReason(
        "VolumeBindingReady",
        "Ready=True",
        "The volume and its data are there.",
        "Nothing.",
        "ボリュームの準備ができています。",
    ),
    ConditionReason(
        "Available",
        "Ready=True",
        "The VPC, subnet or network interface can be used.",
        "Nothing.",
        "利用できます。",
    ),
    ConditionReason(
        "Ready",
        "Ready=True",
        "The object of the provider is as declared.",
        "Nothing.",
        "準備ができています。",
    ),
    ConditionReason(
        "Mapped",
        "Ready=True",
        "An operator entered the ids of the subnet in a cluster.",
        "Nothing.",
        "登録されています。",
    ),
    ConditionReason(
        "Applied",
        "UpToDate=True",
        "The instance runs as the declared instance type.",
        "Nothing.",
        "宣言された構成が反映されています。",
    ),
    ConditionReason(
        "RestartRequired",
        "UpToDate=False",
        "The new instance type is taken at the next start.",
        "Stop the instance and start it again.",
        "新しいインスタンスタイプは次の起動時に反映されます。停止して起動してください。",
    ),
    ConditionReason("Creating", "Ready=False", "It is being made.", _NOTHING, "作成中です。"),
    ConditionReason(
        "Updating", "Ready=False", "A change is being carried out.", _NOTHING, "更新中です。"
    ),
    ConditionReason(
        "Starting", "Ready=False", "The instance is starting.", _NOTHING, "起動中です。"
    ),
    ConditionReason(
        "Stopping", "Ready=False", "The instance is stopping.", _NOTHING, "停止中です。"
    ),
    ConditionReason(
        "Moving",
        "Ready=False",
        "The instance moves to other hardware with its data in place.",
        _NOTHING,
        "移動中です。",
    ),
    ConditionReason(
        "Releasing",
        "Ready=False",
        "A network interface is being freed for a move.",
        _NOTHING,
        "解放中です。",
    ),
    ConditionReason("Deleting", "Ready=False", "It is being deleted.", _NOTHING, "削除中です。"),
    ConditionReason(
        "RootVolumeIsNotReady",
        "Ready=False",
        "The root volume is not there yet.",
        "Look at the volume's own condition.",
        "ルートボリュームの準備ができていません。",
    ),
    ConditionReason(
        "VolumeAttachmentsAreNotReady",
        "Ready=False",
        "A volume is not attached yet.",
        "Look at the volumes' own conditions.",
        "ボリュームの接続が完了していません。",
    ),
    ConditionReason(
        "NetworkInterfaceAttachmentFailed",
        "Ready=False",
        "A network interface is not connected.",
        "Look at the network interface; ask your platform team if it stays so.",
        "ネットワークインターフェースの接続に失敗しました。",
    ),
    ConditionReason(
        "VolumeBindingNotReady",
        "Ready=False",
        "The volume is being made, moved, grown or freed.",
        _NOTHING,
        "ボリュームの準備中です。",
    ),
    ConditionReason(
        "SubnetIsNotReady",
        "Ready=False",
        "The subnet is being made ready.",
        _NOTHING,
        "サブネットの準備中です。",
    ),
    ConditionReason(
        "MoveBlocked",
        "Ready=False",
        "A volume cannot be taken to the other hardware; nothing was changed.",
        "Remove what the message names, or set the former instance type; then start again.",
        "ボリュームを移動できないため、移動が止まっています。",
    ),
    ConditionReason(
        "InsufficientCapacity",
        "Ready=False",
        "There is not enough capacity for the instance type now.",
        "Wait, or choose another instance type; it is tried again by itself.",
        "このインスタンスタイプの空き容量が不足しています。",
    ),
    ConditionReason(
        "QuotaExceeded",
        "Ready=False",
        "The platform's own quota is used up.",
        "Ask your platform team to raise it; it is tried again by itself.",
        "プラットフォームのクォータを使い切りました。",
    ),
    ConditionReason(
        "InvalidConfiguration",
        "Ready=False",
        "What is declared cannot be made this way.",
        "Change what the message names, or ask your platform team.",
        "この構成では作成できません。",
    ),
    ConditionReason(
        "DataNotFound",
        "Ready=False",
        "The volume's data was not found where it should be. Nothing is made in its place.",
        "Ask your platform team; they have an alarm.",
        "ボリュームのデータが見つかりません。代わりのものは作成されません。",
    ),
    ConditionReason(
        "DataFoundTwice",
        "Ready=False",
        "The volume's data was found in two places. Nothing is changed.",
        "Ask your platform team; they have an alarm.",
        "ボリュームのデータが二か所で見つかりました。",
    ),
    ConditionReason(
        "ProviderUnreachable",
        "Ready=False or Unknown",
        "The platform does not answer; nothing is changed until it does.",
        _PLATFORM,
        "プラットフォームが応答しません。自動的に再試行されます。",
    ),
    ConditionReason(
        "ProviderError",
        "Ready=False",
        "The platform could not carry out what it was asked.",
        _PLATFORM,
        "プラットフォームで処理に失敗しました。",
    ),
    ConditionReason(
        "BelowThreshold",
        "BelowWarningThreshold=True",
        "There is room in the quota.",
        "Nothing.",
        "割り当てに余裕があります。",
    ),
    ConditionReason(
        "NearLimit",
        "BelowWarningThreshold=False",
        "80 % of the quota's limit or more are in use.",
        "Delete what is not used, or ask your platform team for a larger quota.",
        "割り当ての上限に近づいています。",
    ),
    ConditionReason(
        "LimitReached",
        "BelowWarningThreshold=False",
        "All of the quota is in use; nothing more can be declared.",
        "Delete what is not used, or ask your platform team for a larger quota.",
        "割り当ての上限に達しています。",
    ),
    ConditionReason(
        "Accepted",
        "Accepted=True",
        "What the Kubernetes object declares was taken in.",
        "Nothing.",
        "宣言を取り込みました。",
    ),
    ConditionReason(
        "ReadOnlyKind",
        "Accepted=False",
        "Objects of this kind are only shown in Kubernetes; what they show is made over the API.",
        "Delete the object, and make the resource over the API.",
        "この種類のオブジェクトは参照専用です。API で作成してください。",
    ),
)
