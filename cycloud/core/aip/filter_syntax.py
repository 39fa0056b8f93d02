"""The language of list filters (AIP-160): from a text to a checked tree.

What the tree means is in ``filters`` (SQL) and in ``filter_match`` (Python), so that a list and a watch with the
same filter agree.

Supported: ``AND``, ``OR`` (which binds more tightly than AND, as AIP-160 says), ``NOT`` and ``-``, brackets,
``= != < <= > >= :``, quoted texts, ``*`` at the ends of a text, map keys (``labels.env = prod``,
``labels."a.b" = c``, ``labels:env`` for presence) and conditions (``conditions.Ready.reason = Moving``).
Terms side by side mean AND. A comparison with what is absent is false, so NOT of it is true.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cycloud.core.aip.filter_terms import Comparison, Field, check_term, wrong

__all__ = ["All", "Not", "Some", "Tree", "parse_tree"]

MAX_LENGTH = 2000
MAX_TERMS = 50
MAX_DEPTH = 20
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<op><=|>=|!=|=|<|>|:)"
    r"|(?P<bracket>[()])|(?P<minus>-(?=[A-Za-z(]))|(?P<word>[^\s()<>=!:\"']+(?:[^\s()<>=!\"']*)))"
)


@dataclass(frozen=True)
class Not:
    term: "Tree"


@dataclass(frozen=True)
class All:
    """Every term holds; also with no terms."""

    terms: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Some:
    """At least one term holds."""

    terms: "tuple[Tree, ...]"


Tree: TypeAlias = Comparison | Not | All | Some


def parse_tree(text: str, fields: Mapping[str, Field]) -> Tree:
    """Return what the filter asks. Raises InvalidArgument saying what is wrong and where; nothing else."""
    if len(text) > MAX_LENGTH:
        raise wrong(f"is longer than {MAX_LENGTH} characters.")
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise wrong("holds a NUL or half of a surrogate pair, which no text here can hold.")
    if not text.strip():
        return All(())
    return _Parser(text, fields).parse()


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str, fields: Mapping[str, Field]) -> None:
        self._tokens = _tokens(text)
        self._fields = fields
        self._at = 0
        self._terms = 0
        self._depth = 0

    def parse(self) -> Tree:
        tree = self._expression()
        if self._kind() is not None:
            raise wrong(f"has an unexpected {self._tokens[self._at][1][:40]!r}.")
        return tree

    def _kind(self) -> str | None:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else None

    def _accept(self, kind: str, text: str | None = None) -> str | None:
        if self._kind() == kind and text in (None, self._tokens[self._at][1]):
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _expression(self) -> Tree:
        terms = [self._factor()]
        while (
            self._accept("keyword", "AND")
            or self._kind() in ("word", "text", "minus")
            or self._next_opens()
        ):
            terms.append(self._factor())
        return terms[0] if len(terms) == 1 else All(tuple(terms))

    def _next_opens(self) -> bool:
        if self._at >= len(self._tokens):
            return False
        return self._tokens[self._at] in (("bracket", "("), ("keyword", "NOT"))

    def _factor(self) -> Tree:
        terms = [self._term()]
        while self._accept("keyword", "OR"):
            terms.append(self._term())
        return terms[0] if len(terms) == 1 else Some(tuple(terms))

    def _term(self) -> Tree:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise wrong(f"has more than {MAX_TERMS} terms.")
        if self._accept("keyword", "NOT") or self._accept("minus"):
            return Not(self._simple())
        return self._simple()

    def _simple(self) -> Tree:
        if not self._accept("bracket", "("):
            return self._restriction()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise wrong(f"has more than {MAX_DEPTH} brackets inside each other.")
        tree = self._expression()
        if not self._accept("bracket", ")"):
            raise wrong("lacks a closing bracket.")
        self._depth -= 1
        return tree

    def _restriction(self) -> Tree:
        path = self._accept("word")
        if path is None:
            raise wrong("lacks the name of a field, as in 'state = RUNNING'.")
        name, dot, key = path.partition(".")
        field = self._fields.get(name)
        if field is None:
            known = ", ".join(sorted(self._fields)) or "none"
            raise wrong(f"names {path[:80]!r}, which this list cannot filter by. Fields: {known}.")
        operator = self._accept("op")
        if operator is None:
            raise wrong(f"lacks a comparison after {path[:80]!r}, as in 'state = RUNNING'.")
        if dot and not key:
            raise wrong(f"lacks what is to come after the dot of {path[:80]!r}.")
        quoted = self._accept("text")
        value = quoted if quoted is not None else self._accept("word")
        if value is None:
            raise wrong(f"lacks a value after '{path[:80]} {operator}'.")
        comparison, opposite = check_term(field, name, key, operator, value)
        return Not(comparison) if opposite else comparison


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, end = 0, len(text.rstrip())
    # where a path may go on that ends in a dot or a quoted key: labels."a.b", conditions."Ready".reason
    path_end = -1
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise wrong(f"cannot be read from {text[at : at + 40]!r} on.")
        kind, word, start = match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)
        # after a comparison a word may hold colons (times); before one the colon is the comparison
        after_operator = bool(found) and found[-1][0] == "op"
        at = match.end()
        if kind == "word" and ":" in word and not after_operator:
            word = word.partition(":")[0]
            at = start + len(word)
        goes_on = start == path_end and _continues(found[-1][1], kind, word)
        if kind == "text":
            word = re.sub(r"\\(.)", r"\1", word[1:-1])
        elif kind == "minus" and after_operator:
            raise wrong("has a '-' where a value is expected; put the value in quotes.")
        elif kind == "word" and word in ("AND", "OR", "NOT") and not after_operator:
            kind = "keyword"
        if goes_on:
            found[-1] = ("word", found[-1][1] + word)
        else:
            found.append((kind, word))
        path_end = at if goes_on or (kind == "word" and not after_operator) else -1
    return found


def _continues(path: str, kind: str, word: str) -> bool:
    """Tell whether a token that follows a path without a space is a part of it."""
    if kind == "text":
        return path.endswith(".")
    return kind == "word" and word.startswith(".")
