"""Hints for operators and words of other languages: `<=`, `!=`, `&&`, `and`, `SELECT`."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.syntax.tokens import Token

__all__ = ["hint_for_token"]

_AND = "conditions are separated by `,`: `K > 5, K < 9`"
_OR = "write a rule for each alternative; in background knowledge, `;` separates alternatives"
_DIFFERENT = "write `=\\=` to compare numbers, or `\\=` for terms that differ"
_OPERATORS = {
    "<=": "write `=<`, which is less than or equal",
    "=>": "write `>=`, which is greater than or equal",
    "===": "write `=:=` to compare numbers, or `=` to unify terms",
    "<>": _DIFFERENT,
    "!==": _DIFFERENT,
    "&&": _AND,
    "&": _AND,
    "and": _AND,
    "or": _OR,
    "if": "write the head first: `initiatedAt(F=V, T) :- happensAt(E, T).`",
    "where": _AND,
}
_STATEMENTS = ("select", "insert", "update", "create", "with")
_RULES = "a rule file has rules, such as `initiatedAt(F=V, T) :- happensAt(E, T).`, not SQL"


def hint_for_token(tokens: Sequence[Token], at: int) -> str | None:
    """The hint for the token at which parsing a clause stopped; None if it is not of another language."""
    first, token = tokens[0], tokens[at]
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    if first.kind in ("var", "atom") and first.text.lower() in _STATEMENTS and at > 0:
        return _RULES
    if token.text == "|" and any(each is not None and each.text == "|" for each in (before, after)):
        return _OR
    if token.text == "!" and after is not None and after.text.startswith("="):
        return _DIFFERENT
    if before is not None and before.text == "!" and not token.follows_layout:
        return "a negation is written `\\+`"
    return _OPERATORS.get(token.text.lower()) if token.kind in ("atom", "var") else None
