"""Reasons of field violations (google.rpc.BadRequest)."""

from cycloud.core.aip.reasons.reason import FieldReason

__all__ = ["FIELD_REASONS"]

FIELD_REASONS = (
    FieldReason(
        "INVALID", "The value is wrong; the description says why.", "値が正しくありません。"
    ),
    FieldReason("REQUIRED", "The field is missing.", "必須です。"),
    FieldReason(
        "WRONG_TYPE", "The value has another JSON type than the field.", "型が正しくありません。"
    ),
    FieldReason("OUT_OF_RANGE", "The number is too small or too large.", "値が範囲外です。"),
    FieldReason(
        "INVALID_TEXT",
        "The text holds NUL or is no valid Unicode.",
        "使えない文字が含まれています。",
    ),
    FieldReason(
        "UNKNOWN_FIELD",
        "There is no such field, or it cannot be set.",
        "そのようなフィールドはありません。",
    ),
    FieldReason(
        "UNKNOWN_PARAMETER",
        "There is no such query parameter.",
        "そのようなクエリパラメーターはありません。",
    ),
    FieldReason(
        "UNKNOWN_PATH",
        "The field mask names no field of the resource.",
        "フィールドマスクのパスが正しくありません。",
    ),
    FieldReason(
        "IMMUTABLE", "The field cannot be changed after creation.", "作成後は変更できません。"
    ),
    FieldReason(
        "INVALID_FILTER",
        "The filter is no AIP-160 expression over the fields.",
        "フィルターが正しくありません。",
    ),
    FieldReason(
        "INVALID_ORDER", "order_by names no field to order by.", "並び順の指定が正しくありません。"
    ),
    FieldReason(
        "INVALID_PAGE_SIZE",
        "page_size is negative or no number.",
        "ページサイズが正しくありません。",
    ),
    FieldReason(
        "INVALID_PAGE_TOKEN",
        "The token is not one of this list, filter and order.",
        "ページトークンが正しくありません。",
    ),
    FieldReason(
        "INVALID_QUANTITY",
        "The size is no quantity such as 100Gi.",
        "容量は 100Gi のように指定してください。",
    ),
    FieldReason(
        "INVALID_DURATION",
        "The text is no duration such as 30s.",
        "時間は 30s のように秒で指定してください。",
    ),
    FieldReason(
        "INVALID_RESOURCE_ID", "The id is no RFC 1034 label.", "リソース ID として使えません。"
    ),
    FieldReason(
        "INVALID_REFERENCE",
        "The value names no object of this project.",
        "このプロジェクトのリソース名ではありません。",
    ),
    FieldReason(
        "REFERENCE_NOT_FOUND", "There is no object of that name.", "その名前のものはありません。"
    ),
    FieldReason(
        "REQUEST_ID_REUSED",
        "The request_id was used for another request.",
        "別のリクエストで使用済みです。新しい UUID を使ってください。",
    ),
    FieldReason(
        "UNKNOWN_PRINCIPAL",
        "There is no such user or service account.",
        "そのようなユーザーまたはサービスアカウントはありません。",
    ),
    FieldReason("INVALID_ADDRESS", "The text is no IPv4 address.", "IPv4 アドレスではありません。"),
    FieldReason("INVALID_CIDR", "The text is no IPv4 range.", "IPv4 の範囲ではありません。"),
    FieldReason(
        "CIDR_HOST_BITS", "The range has host bits set.", "ホスト部のビットが立っています。"
    ),
    FieldReason(
        "CIDR_NOT_UNICAST", "The range is not for unicast.", "ユニキャスト用の範囲ではありません。"
    ),
    FieldReason(
        "CIDR_SIZE", "The range is too small or too large.", "範囲の大きさが正しくありません。"
    ),
    FieldReason(
        "GATEWAY_OUTSIDE",
        "The gateway is not an address of the range.",
        "ゲートウェイが範囲の外にあります。",
    ),
    FieldReason(
        "ADDRESS_OUTSIDE",
        "The address is not of the subnet.",
        "アドレスがサブネットの外にあります。",
    ),
    FieldReason(
        "ADDRESS_RESERVED",
        "The address is the gateway's, or the network's own.",
        "予約されたアドレスです。",
    ),
    FieldReason(
        "INVALID_SSH_PUBLIC_KEY",
        "The line is no OpenSSH public key.",
        "OpenSSH の公開鍵ではありません。",
    ),
    FieldReason(
        "USER_DATA_TOO_LARGE", "The user data is too large.", "ユーザーデータが大きすぎます。"
    ),
    FieldReason(
        "ROOT_VOLUME_WITHOUT_IMAGE",
        "The first volume boots and needs an image.",
        "最初のボリュームにはイメージが必要です。",
    ),
    FieldReason(
        "SIZE_OUT_OF_RANGE",
        "The volume type does not offer this size.",
        "このボリュームタイプで使える容量の範囲外です。",
    ),
    FieldReason(
        "SIZE_GRANULARITY",
        "The size is not a multiple of the type's step.",
        "ボリュームタイプの刻みの倍数ではありません。",
    ),
    FieldReason(
        "SIZE_BELOW_IMAGE",
        "The image needs a larger volume.",
        "イメージに必要な容量より小さいです。",
    ),
    FieldReason(
        "VOLUME_NEVER_SHRINKS",
        "The size is smaller than the present one.",
        "ボリュームは縮小できません。",
    ),
    FieldReason(
        "INSTANCE_TYPE_UNAVAILABLE",
        "The type is not offered in the zone now.",
        "現在このゾーンでは利用できません。",
    ),
    FieldReason(
        "VOLUME_TYPE_UNAVAILABLE",
        "A volume's type is not offered where the instance would run.",
        "ボリュームタイプが移動先で利用できません。",
    ),
    FieldReason(
        "STORAGE_DIFFERS",
        "The data is on storage that the new type cannot reach.",
        "新しい構成からデータのあるストレージに到達できません。",
    ),
    FieldReason(
        "VOLUME_BLOCKED",
        "The storage system holds the volume, for example by a snapshot.",
        "ストレージ側でボリュームの移動が妨げられています。",
    ),
    FieldReason(
        "INVALID_NAME",
        "The text is no resource name of this kind.",
        "リソース名が正しくありません。",
    ),
    FieldReason(
        "INVALID_RESOURCE_VERSION",
        "The text is no resource_version of a list or watch.",
        "resource_version が正しくありません。",
    ),
    FieldReason(
        "UNKNOWN_PERMISSION", "There is no such permission.", "そのような権限はありません。"
    ),
)
