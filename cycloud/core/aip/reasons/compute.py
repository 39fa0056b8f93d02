"""Reasons of instances and volumes."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

REASONS = (
    ErrorReason(
        "MOVE_BLOCKED",
        (Code.FAILED_PRECONDITION,),
        "The instance cannot run as that type at the moment; the metadata names cause and volumes.",
        "Keep the present type, detach the volume, or ask your platform team to remove the obstacle.",
        "{resource} は現在この構成では動かせません。何も変更していません。",
    ),
    ErrorReason(
        "INSTANCE_TYPE_UNAVAILABLE",
        (Code.FAILED_PRECONDITION,),
        "The instance type is not offered in the zone at the moment.",
        "Choose another type or zone, or ask your platform team when it will be.",
        "インスタンスタイプ {instance_type} は現在ゾーン {availability_zone} で利用できません。",
    ),
    ErrorReason(
        "VOLUME_TYPE_UNAVAILABLE",
        (Code.FAILED_PRECONDITION,),
        "The volume type is not offered in the zone at the moment.",
        "Choose another type or zone, or ask your platform team when it will be.",
        "ボリュームタイプ {volume_type} は現在ゾーン {availability_zone} で利用できません。",
    ),
    ErrorReason(
        "INSTANCE_NOT_STOPPED",
        (Code.FAILED_PRECONDITION,),
        "This is possible only while the instance is stopped.",
        "Stop the instance first.",
        "{resource} は実行中です。先に停止してください。",
    ),
    ErrorReason(
        "INSTANCE_STOPPED",
        (Code.FAILED_PRECONDITION,),
        "A stopped instance cannot be restarted.",
        "Start it.",
        "{resource} は停止しているため再起動できません。起動してください。",
    ),
    ErrorReason(
        "INSTANCE_DELETING",
        (Code.FAILED_PRECONDITION,),
        "The instance is being deleted and can no longer be changed.",
        "Wait until it is gone, then make a new one.",
        "{resource} は削除中のため変更できません。",
    ),
    ErrorReason(
        "DELETION_PROTECTED",
        (Code.FAILED_PRECONDITION,),
        "The instance is protected from deletion.",
        "Set deletion_protection to false first.",
        "{resource} は削除から保護されています。先に deletion_protection を解除してください。",
    ),
    ErrorReason(
        "TOO_MANY_VOLUMES",
        (Code.FAILED_PRECONDITION,),
        "The instance has as many volumes as it can have.",
        "Detach one first.",
        "{resource} にはこれ以上ボリュームを接続できません。",
    ),
    ErrorReason(
        "VOLUME_NOT_ATTACHED",
        (Code.FAILED_PRECONDITION,),
        "The volume is not attached to this instance.",
        "Look at the volumes of the instance.",
        "指定されたボリュームは {instance} に接続されていません。",
    ),
    ErrorReason(
        "ROOT_VOLUME",
        (Code.FAILED_PRECONDITION,),
        "The root volume cannot be detached.",
        "Delete the instance, which keeps its volumes, and make a new one.",
        "{volume} はルートボリュームのため取り外せません。",
    ),
    ErrorReason(
        "ZONE_DIFFERS",
        (Code.FAILED_PRECONDITION,),
        "The volume or network interface is in another zone than the instance.",
        "Use one of the same zone.",
        "{resource} はインスタンスと異なるゾーンにあります。",
    ),
    ErrorReason(
        "VOLUME_ATTACHED",
        (Code.FAILED_PRECONDITION,),
        "The volume is attached to an instance.",
        "Stop that instance and detach the volume, or delete the instance.",
        "{volume} は {instance} に接続されています。先に取り外してください。",
    ),
    ErrorReason(
        "VOLUME_DELETED",
        (Code.FAILED_PRECONDITION,),
        "The volume is deleted; its data is kept until its purge_time.",
        "Undelete it first.",
        "{volume} は削除されています。先に復元してください。",
    ),
    ErrorReason(
        "VOLUME_NOT_DELETED",
        (Code.FAILED_PRECONDITION,),
        "The volume to be brought back is not deleted.",
        "Nothing is to be done.",
        "{volume} は削除されていません。",
    ),
    ErrorReason(
        "PURGE_BEGUN",
        (Code.FAILED_PRECONDITION,),
        "The purge time of the volume is over: its data is being removed.",
        "It cannot be brought back; make a new volume.",
        "{volume} の保持期間は終わりました。データは復元できません。",
    ),
    ErrorReason(
        "NETWORK_INTERFACE_ATTACHED",
        (Code.FAILED_PRECONDITION,),
        "The network interface is attached to an instance.",
        "Use another one, or name a subnet to get a new one.",
        "{network_interface} は {instance} に接続されています。",
    ),
    ErrorReason(
        "NETWORK_INTERFACE_DELETING",
        (Code.FAILED_PRECONDITION,),
        "The network interface is being deleted.",
        "Use another one.",
        "{network_interface} は削除中です。別のものを使ってください。",
    ),
)
