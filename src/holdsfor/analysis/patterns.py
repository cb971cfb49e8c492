"""Patterns: terms whose variables stand for any term.

Two patterns *may match* if some term could be an instance of both. Repeated variables are treated as different
variables, so two patterns may be reported as matching although they do not, but never the reverse.
"""

from __future__ import annotations

from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity, substitute, variables

__all__ = ["anonymous", "generalise", "is_instance", "may_match", "pattern_name"]

_ANY = Var("_#1")


def may_match(left: Term, right: Term) -> bool:
    """Whether the two patterns can have an instance in common.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> may_match(term("gap(V)=nearPorts"), term("gap(_)=S"))
    True
    >>> may_match(term("obl(pay(X))=true"), term("obl(send(X))=true"))
    False
    """
    pairs = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, Var) or isinstance(b, Var):
            continue
        if isinstance(a, Struct) and isinstance(b, Struct):
            if a.name != b.name or len(a.args) != len(b.args):
                return False
            pairs.extend(zip(a.args, b.args, strict=True))
        elif a != b:
            return False
    return True


def is_instance(term: Term, pattern: Term) -> bool:
    """Whether a ground term is an instance of a pattern; equal names of variables stand for equal terms.

    >>> from holdsfor.syntax.parser import parse_term as read
    >>> is_instance(read("near(a, a)=true"), read("near(X, X)=_")), is_instance(read("near(a, b)"), read("near(X, X)"))
    (True, False)
    """
    stack, bound = [(pattern, term)], dict[str, Term]()
    while stack:
        here, there = stack.pop()
        if isinstance(here, Var):
            if not here.is_anonymous and bound.setdefault(here.name, there) != there:
                return False
        elif isinstance(here, Struct) and isinstance(there, Struct):
            if name_and_arity(here) != name_and_arity(there):
                return False
            stack += zip(here.args, there.args, strict=True)
        elif here != there:
            return False
    return True


def anonymous(term: Term) -> Term:
    """The pattern with every variable written as `_`."""
    return substitute(term, dict.fromkeys(variables(term), _ANY))


def generalise(left: Term, right: Term) -> Term:
    """The narrowest pattern that covers both; a variable of the left one keeps its name."""
    if isinstance(left, Struct) and isinstance(right, Struct):
        if left.name == right.name and len(left.args) == len(right.args):
            args = tuple(generalise(a, b) for a, b in zip(left.args, right.args, strict=True))
            return Struct(left.name, args, left.span)
    if isinstance(left, Var) or left == right:
        return left
    return right if isinstance(right, Var) else _ANY


def pattern_name(pattern: Term) -> tuple[str, int]:
    """The name and arity of an event, or of the fluent of an FVP; only patterns with the same name can match."""
    if isinstance(pattern, Struct) and pattern.name == "=" and len(pattern.args) == 2:
        pattern = pattern.args[0]
    return name_and_arity(pattern)
