"""Reasons of projects, members, credentials and rights."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

REASONS = (
    ErrorReason(
        "UNAUTHENTICATED",
        (Code.UNAUTHENTICATED,),
        "The caller is not known.",
        "Sign in, or send an API token.",
        "認証が必要です。",
    ),
    ErrorReason(
        "CREDENTIALS_MISSING",
        (Code.UNAUTHENTICATED,),
        "The request has no credentials.",
        "Sign in, or send an API token as 'Authorization: Bearer <token>'.",
        "認証情報がありません。サインインするか、API トークンを送ってください。",
    ),
    ErrorReason(
        "CREDENTIALS_INVALID",
        (Code.UNAUTHENTICATED,),
        "The token is malformed, unknown, expired or revoked, or its owner is disabled.",
        "Make a new token.",
        "認証情報が無効です。新しいトークンを作成してください。",
    ),
    ErrorReason(
        "CSRF_FAILED",
        (Code.PERMISSION_DENIED,),
        "A write with a browser's session has no good CSRF token.",
        "Send the token in the header X-CSRFToken, or use an API token.",
        "CSRF トークンが正しくありません。",
    ),
    ErrorReason(
        "PERMISSION_DENIED",
        (Code.PERMISSION_DENIED,),
        "The caller's role does not allow this.",
        "Ask an administrator of the project for the role in the metadata.",
        "この操作を行う権限がありません。プロジェクトの管理者に依頼してください。",
    ),
    ErrorReason(
        "TOKEN_NARROWED",
        (Code.PERMISSION_DENIED,),
        "A token with a scope was used to make another token.",
        "Sign in, or use a token without a scope.",
        "範囲を限定したトークンでは別のトークンを作成できません。",
    ),
    ErrorReason(
        "PROJECT_NOT_FOUND",
        (Code.NOT_FOUND,),
        "There is no such project, or the caller is no member of it.",
        "Check the name, or ask an administrator of the project for access.",
        "プロジェクトがないか、メンバーではありません。",
    ),
    ErrorReason(
        "PROJECT_NOT_EMPTY",
        (Code.FAILED_PRECONDITION,),
        "The project to be deleted still holds resources.",
        "Delete them first.",
        "{resource} にリソースが残っています。先に削除してください。",
    ),
    ErrorReason(
        "LAST_ADMIN",
        (Code.FAILED_PRECONDITION,),
        "The project would be left without an administrator.",
        "Make somebody else an administrator first.",
        "{resource} の最後の管理者です。先に別の管理者を任命してください。",
    ),
    ErrorReason(
        "RATE_LIMITED",
        (Code.RESOURCE_EXHAUSTED,),
        "The caller, or an address with bad credentials, calls too often (HTTP 429).",
        "Repeat the request after the time in RetryInfo, and call less often.",
        "呼び出しが多すぎます。しばらくしてからやり直してください。",
    ),
    ErrorReason(
        "IDENTITY_PROVIDER_UNAVAILABLE",
        (Code.UNAVAILABLE,),
        "The identity provider does not answer, so that the token cannot be checked.",
        "Repeat the request after the time in RetryInfo, or use an API token.",
        "ID プロバイダーが応答しません。しばらくしてからやり直してください。",
    ),
    ErrorReason(
        "USER_UNKNOWN",
        (Code.UNAUTHENTICATED,),
        "The identity provider knows the user, but Cycloud does not.",
        "Ask your platform team for an account.",
        "Cycloud にアカウントがありません。プラットフォーム担当者に依頼してください。",
    ),
    ErrorReason(
        "USERNAME_TAKEN",
        (Code.UNAUTHENTICATED,),
        "The user name belongs to another account.",
        "Ask your platform team to link that account to the identity.",
        "このユーザー名は別のアカウントが使用しています。",
    ),
    ErrorReason(
        "USERNAME_INVALID",
        (Code.UNAUTHENTICATED,),
        "The identity provider's claim holds no good user name.",
        "Ask your platform team to correct it.",
        "ID プロバイダーのユーザー名が正しくありません。",
    ),
)
