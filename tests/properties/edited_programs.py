"""Random edits of programs: a rule less or a rule more, rules in another order, other names of variables."""

from __future__ import annotations

import random
import re

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.errors import Diagnostics, HoldsforError
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["Key", "affected_names", "edited", "mentioning_names", "names_of", "rewritten"]

RULES = ("initiatedAt", "terminatedAt", "happensAt", "holdsFor", "fi", "ft")
Key = tuple[str, int]


def rewritten(text: str, chance: random.Random) -> str:
    """The same rules in another order, with other names of variables."""
    rules, rest = _divided(text)
    chance.shuffle(rules)
    return "\n".join([rest, *(_renamed(rule) for rule in rules)]) + "\n"


def edited(text: str, chance: random.Random) -> tuple[str, str, set[Key]] | None:
    """Two programs that differ in a rule, the second one rewritten, and the names that the rule is about."""
    rules, _ = _divided(text)
    for rule in chance.sample(rules, min(len(rules), 5)):
        assert rule.span is not None
        less = text[: rule.span.start] + text[rule.span.end :].lstrip(".")
        try:
            compile_text(less)
        except HoldsforError:
            continue
        old, new = (text, less) if chance.random() < 0.6 else (less, text)
        return old, rewritten(new, chance), names_of(rule)
    return None


def names_of(rule: Clause) -> set[Key]:
    """The names that a rule is about."""
    assert isinstance(rule.head, Struct)
    about = rule.head.args[:2] if rule.head.name == "fi" else rule.head.args[:1]
    return {_name(each) for each in about}


def affected_names(compiled: Compiled, names: set[Key]) -> set[Key]:
    """The names, and those of all events and FVPs that depend on them, or that a delay connects with them."""
    edges = [(_name(edge.source.pattern), _name(edge.target.pattern), edge.kind) for edge in compiled.graph.edges]
    found = set(names)
    while True:
        more = {target for source, target, _ in edges if source in found}
        more |= {source for source, target, kind in edges if kind == "f" and target in found}
        if more <= found:
            return found
        found |= more


def mentioning_names(text: str, names: set[Key]) -> set[Key]:
    """The names, and those of all rules that mention them, even with a value that no rule is about."""
    rules = [(names_of(rule), set(re.findall(r"[a-z]\w*", _renamed(rule)))) for rule in _divided(text)[0]]
    found = set(names)
    while True:
        words = {name for name, _ in found}
        more = set[Key]().union(*(about for about, mentioned in rules if mentioned & words))
        if more <= found:
            return found
        found |= more


def _name(entity: Term) -> Key:
    is_fvp = isinstance(entity, Struct) and entity.name == "="
    return name_and_arity(entity.args[0] if is_fvp and isinstance(entity, Struct) else entity)


def _divided(text: str) -> tuple[list[Clause], str]:
    """The rules of a program, and the rest of its text."""
    program = parse_program(Source("text", text), Diagnostics())
    rules = [each for each in program.clauses if name_and_arity(each.head)[0] in RULES and each.span is not None]
    rest = text
    for rule in reversed(rules):
        assert rule.span is not None
        rest = rest[: rule.span.start] + rest[rule.span.end :].lstrip(".")
    return rules, rest


def _renamed(rule: Clause) -> str:
    head = show(_with_names(rule.head))
    return f"{head}." if rule.body is None else f"{head} :- {show(_with_names(rule.body))}."


def _with_names(term: Term) -> Term:
    """A term whose variables have other names, in another order of the alphabet."""
    if isinstance(term, Var):
        return term if term.is_anonymous else Var(f"{'ZYXWVU'[sum(map(ord, term.name)) % 6]}_{term.name}")
    if isinstance(term, Struct):
        return Struct(term.name, tuple(map(_with_names, term.args)))
    return term
