"""docs/errors.md, written from the table."""

from collections.abc import Iterable

from cycloud.core.aip.reasons import CONDITION_REASONS, ERROR_REASONS, FIELD_REASONS, error_word

__all__ = ["errors_page"]

_HEAD = """\
# Errors

<!-- Written by `manage.py error_reasons`; the words are in cycloud/core/aip/reasons. -->

Every refusal is a [google.rpc.Status](https://google.aip.dev/193). REST wraps it:

```json
{
  "error": {
    "code": 400,
    "status": "FAILED_PRECONDITION",
    "message": "projects/demo/instances/web-1 is running: stop it before you attach a volume to it.",
    "details": [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "INSTANCE_NOT_STOPPED",
        "domain": "cycloud.jp",
        "metadata": {
          "instance": "projects/demo/instances/web-1",
          "resource": "projects/demo/instances/web-1"
        }
      }
    ]
  }
}
```

gRPC sends the same status, with the canonical code, in `grpc-status-details-bin`.

| detail | when | what is in it |
|---|---|---|
| ErrorInfo | always, first | `reason` (a word of this page, never changed), `domain`, `metadata` |
| BadRequest | a field is wrong | each field's path, what is wrong with it, a reason of its own |
| PreconditionFailure | FAILED_PRECONDITION | each obstacle: `type` (a reason), `subject` (a resource), `description` |
| QuotaFailure | a quota is used up | the quota's name and what was asked for |
| ResourceInfo | NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED about a resource | its type and name |
| RetryInfo | the same request may succeed later | how long to wait; REST also sends `Retry-After` |
| Help | always | a link to the reason on this page (setting `CYCLOUD_DOCS_URL`) |
| LocalizedMessage | always, last | the text in English or Japanese, by `Accept-Language` (in gRPC: metadata) |

Programs act on the code and the reason. The `message` is English, for developers, and may change.

What a caller did wrong is never answered with a 5xx status. What Cycloud did wrong is INTERNAL with an
incident's id, or UNAVAILABLE with RetryInfo.
"""
_FIELDS_HEAD = """
## Reasons of fields

In `BadRequest.field_violations[].reason`; the error's own reason is mostly INVALID_ARGUMENT.
"""
_CONDITIONS_HEAD = """
## Reasons of conditions

In `conditions[].reason` of a resource. Where a condition ends an operation, the operation's error has the same
reason as ErrorInfo spells it (second column), and the condition's word in the metadata as `condition_reason`.
"""


def errors_page() -> str:
    """Return the page in Markdown. Each reason is an anchor, which errors link to."""
    errors = _table(
        ("reason", "code", "when", "what to do", "日本語"),
        (
            (
                _anchored(e.reason),
                ", ".join(code.name for code in e.codes),
                e.when,
                e.action,
                e.japanese,
            )
            for e in ERROR_REASONS.values()
        ),
    )
    fields = _table(
        ("reason", "when", "日本語"),
        ((f"`{e.reason}`", e.when, e.japanese) for e in FIELD_REASONS.values()),
    )
    conditions = _table(
        ("reason", "in an operation's error", "condition", "when", "what to do", "日本語"),
        (
            (f"`{e.reason}`", _word(e.reason), e.condition, e.when, e.action, e.japanese)
            for e in CONDITION_REASONS.values()
        ),
    )
    parts = [_HEAD, "\n## Reasons\n", errors, _FIELDS_HEAD, fields, _CONDITIONS_HEAD, conditions]
    return "".join(parts)


def _word(reason: str) -> str:
    word = error_word(reason)
    return f"`{word}`" if word in ERROR_REASONS else _anchored(word)


def _anchored(reason: str) -> str:
    return f'<a id="{reason}"></a>`{reason}`'


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
