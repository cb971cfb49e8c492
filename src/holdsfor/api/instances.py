"""The instances of a result that a pattern selects: `occupied`, `occupied(_)`, `occupied(X)=true`."""

from __future__ import annotations

from typing import TypeVar

from holdsfor.analysis.names import Names
from holdsfor.analysis.patterns import is_instance, may_match
from holdsfor.errors import did_you_mean
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var, is_ground, name_and_arity

__all__ = ["check_value", "is_pattern", "matches", "matching"]

Found = TypeVar("Found")


def is_pattern(term: Term, names: Names) -> bool:
    """Whether a term stands for several instances: a name alone, a fluent without a value, or a term with variables."""
    if isinstance(term, Atom):
        known = (*names.fluents, *names.events)
        return (term.name, 0) not in names.events and any(name == term.name for name, _ in known)
    is_fluent = isinstance(term, Struct) and term.name != "=" and name_and_arity(term) in names.fluents
    return is_fluent or not is_ground(term)


def matching(found: dict[Term, Found], pattern: Term, names: Names) -> dict[str, Found]:
    """The instances by their text; a pattern of a name that no rule has is a `KeyError`."""
    named = pattern.args[0] if isinstance(pattern, Struct) and pattern.name == "=" else pattern
    known = (*names.fluents, *names.events)
    is_known = isinstance(named, Var) or any(_is_about(named, key) for key in known)
    if not is_known:
        hint = did_you_mean(getattr(named, "name", ""), [name for name, _ in known])
        every = ", ".join(f"`{name}/{arity}`" for name, arity in known)
        raise KeyError(f"no rule is about `{show(pattern)}`; {hint or f'the rules have {every}'}")
    chosen = {show(term): each for term, each in found.items() if matches(pattern, term)}
    if not chosen:
        check_value(pattern, names)
    return chosen


def check_value(pattern: Term, names: Names) -> None:
    """Refuse an FVP with a value that no rule and no input can give to the fluent, with a `KeyError`."""
    if not isinstance(pattern, Struct) or pattern.name != "=":
        return
    about = [*names.simple, *names.static, *names.used_fvps, *names.given_fvps, *(p for p, _ in names.declared_inputs)]
    fluent, value = pattern.args
    values = [fvp.args[1] for fvp in about if isinstance(fvp, Struct) and may_match(fvp.args[0], fluent)]
    if values and is_ground(value) and not any(isinstance(each, Var) or each == value for each in values):
        known = list(dict.fromkeys(show(each) for each in values))
        hint = did_you_mean(show(value), known) or f"its values are {', '.join(f'`{each}`' for each in known)}"
        raise KeyError(f"no rule gives `{show(fluent)}` the value `{show(value)}`; {hint}")


def _is_about(named: Term, key: tuple[str, int]) -> bool:
    if isinstance(named, Atom):
        return named.name == key[0]
    return isinstance(named, Struct) and name_and_arity(named) == key


def matches(pattern: Term, term: Term) -> bool:
    """Whether a ground FVP or event is an instance of a pattern.

    >>> from holdsfor.syntax.parser import parse_term as read
    >>> matches(read("near(X, X)=true"), read("near(a, a)=true")), matches(read("near(X, X)"), read("near(a, b)=true"))
    (True, False)
    >>> matches(read("near"), read("near(a, b)=true"))
    True
    """
    is_fvp = isinstance(term, Struct) and term.name == "="
    if is_fvp and isinstance(term, Struct) and not (isinstance(pattern, Struct) and pattern.name == "="):
        term = term.args[0]
    if isinstance(pattern, Atom) and isinstance(term, Struct):
        return pattern.name == term.name
    return is_instance(term, pattern)
