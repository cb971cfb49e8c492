"""Match patterns against ground terms."""

from __future__ import annotations

from holdsfor.syntax.terms import Struct, Term, Var

__all__ = ["Binding", "match"]

Binding = dict[str, Term]


def match(pattern: Term, ground: Term, binding: Binding) -> Binding | None:
    """The binding extended so that the pattern equals the ground term, or None.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> match(term("go_to(X, Place)"), term("go_to(chris, pub)"), {"X": term("chris")})["Place"]
    Atom(name='pub')
    """
    result = dict(binding)
    pairs = [(pattern, ground)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, Var):
            known = result.setdefault(left.name, right)
            if known is not right and known != right:
                return None
        elif isinstance(left, Struct) and isinstance(right, Struct):
            if left.name != right.name or len(left.args) != len(right.args):
                return None
            pairs.extend(zip(left.args, right.args, strict=True))
        elif left != right:
            return None
    return result
