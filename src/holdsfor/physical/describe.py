"""Operators in words: what a step does with the rows it is given, on which key, and what it binds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from holdsfor.columns.tables import Key
from holdsfor.physical.arithmetic import COMPARISONS
from holdsfor.physical.bindings import bound_after
from holdsfor.physical.patterns import ANYTHING, bound_positions, is_plain
from holdsfor.physical.planner import numbered_variables
from holdsfor.physical.steps import (
    AnyClause,
    AnyOf,
    Broken,
    CountHolding,
    Forget,
    Gather,
    GroundHead,
    HoldsNow,
    JoinFacts,
    MatchPoints,
    NoneOf,
    Prove,
    RangeHead,
    RangeOver,
    StampTime,
    Step,
    TestNumbers,
    Unify,
)
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var, substitute, variables

__all__ = ["Described", "Wording"]

_OF_A_CLAUSE = re.compile(r"(.+)#(\d+)\Z")


@dataclass(frozen=True)
class Described:
    """A step in words: the operator, what it is about, by which key, and what it binds."""

    operator: str
    subject: str = ""
    how: str = ""
    binds: str = ""


@dataclass(frozen=True)
class Wording:
    """Describes steps; `size_of` says how large a table of facts is.

    Variables of unfolded clauses are numbered in the order in which they come up, so that texts can be compared.
    """

    size_of: Callable[[Key], str]
    numbers: dict[str, int]

    def step(self, step: Step, bound: set[str], *, is_timed: bool) -> Described:
        """A step in words, given the variables that are bound, and whether the rows have time-points."""
        new = bound_after(step, bound) - bound
        binds = self.binds(
            [*sorted(new, key=_variables_first), *(["time"] if _brings_time(step) and not is_timed else [])]
        )
        match step:
            case MatchPoints(kind, key, patterns):
                how = self.key_of(patterns, bound, has_value=kind != "events", is_timed=is_timed)
                how = "" if _is_scan(patterns, bound, is_timed) else how
                written = _as_written(step)
                named = self.event(key, written) if kind == "events" else self.fvp(key, written)
                operator = "scan" if not bound and not is_timed else "join" if how.startswith("on ") else "cross join"
                return Described(f"{operator} {kind}", named, how, binds)
            case HoldsNow(key, patterns, None):
                return Described(*self.holds(key, patterns, bound), binds)
            case HoldsNow(key, patterns, str(numbered)):
                how = f"at time, binary search in ({self.name(numbered)}, start)"
                return Described("stab fluents", self.fvp(key, patterns), how, binds)
            case Broken(key, patterns):
                how = self.key_of(patterns[:-1], bound, is_timed=is_timed)
                how = f"{how}; terminations and other values" if how else "terminations and other values"
                return Described("join breaks", self.fvp(key, patterns), how, binds)
            case JoinFacts(key, patterns):
                how = "" if _is_scan(patterns, bound, is_timed) else self.key_of(patterns, bound)
                how = ", ".join(part for part in (how, f"broadcast {self.size_of(key)}") if part)
                operator = "scan" if not bound and not is_timed else "join" if how.startswith("on ") else "cross join"
                return Described(f"{operator} facts", self.event(key, patterns), how, binds)
            case _:
                return self.test(step, bound, binds)

    def test(self, step: Step, bound: set[str], binds: str) -> Described:
        match step:
            case StampTime(name):
                return Described("column of time", self.name(name), "", "")
            case Prove(goal, inputs, _, is_stable):
                how = f"background engine, once per distinct {self.names(inputs)}" if inputs else "background engine"
                return Described("prove", self.show(goal), how + ("" if is_stable else ", anew every time"), binds)
            case TestNumbers(goal):
                operator = "filter" if goal.name in COMPARISONS else "compute"
                return Described(operator, self.show(goal), "in columns", binds)
            case Unify(pattern, built):
                return Described("unify", f"{self.show(pattern)} = {self.show(built)}", "", binds)
            case NoneOf():
                return Described("anti-join")
            case AnyOf():
                return Described("union of branches", "", "", binds)
            case AnyClause(goal=goal):
                return Described("union of clauses", self.show(goal), "each answer once", binds)
            case Forget(names):
                return Described("drop", self.names(name for name in names if name in bound))
            case CountHolding(counted=counted):
                how = self.key_of(counted.patterns, bound, has_value=True)
                how = f"{how}, those begun less those over" if how else "those begun less those over"
                return Described("count fluents", self.fvp(counted.key, counted.patterns), how, binds)
            case Gather(template, aggregate=aggregate):
                what = "" if aggregate == "count" else self.show(template)
                return Described(f"gather {aggregate}", what, "per row, each solution once", binds)
            case GroundHead(head):
                return Described("ground", self.show(head), "instances of the grounding, or of sorts", binds)
            case RangeHead(name=name, is_termination=is_termination):
                how = (
                    "members of its sort, and of what is initiated or holds"
                    if is_termination
                    else "members of its sort"
                )
                return Described("range", self.names([name]), how, binds)
            case RangeOver(name=name, is_any=is_any):
                how = "some member of its sort" if is_any else "members of its sort"
                return Described("range", self.names([name]), how, binds)
        raise AssertionError(f"{type(step).__name__} has no description")

    # -- keys ----------------------------------------------------------------------------------------------------------

    def holds(self, key: Key, patterns: Sequence[Term], bound: set[str]) -> tuple[str, str, str]:
        at = bound_positions(patterns, bound)
        if len(at) == len(patterns):
            columns = ", ".join([*(_column(i, len(patterns), has_value=True) for i in at), "start"])
            return "stab fluents", self.fvp(key, patterns), f"at time, binary search in ({columns})"
        how = self.key_of(patterns, bound, has_value=True)
        return "join fluents", self.fvp(key, patterns), f"{how}, then start =< time < end" if how else "by time only"

    def key_of(
        self, patterns: Sequence[Term], bound: set[str], *, has_value: bool = False, is_timed: bool = False
    ) -> str:
        """The key of a join, the columns of its index, and the constants its table is restricted to beforehand.

        Nothing where all rows are combined.
        """
        at = {i: _column(i, len(patterns), has_value=has_value) for i in bound_positions(patterns, bound)}
        keys = {i: column for i, column in at.items() if variables(patterns[i]) and patterns[i] is not ANYTHING}
        wanted = [*(self.show(patterns[i]) for i in keys), *(["time"] if is_timed else [])]
        columns = [*keys.values(), *(["time"] if is_timed else [])]
        fixed = [f"{column} = {self.show(patterns[i])}" for i, column in at.items() if not variables(patterns[i])]
        parts = [f"on {', '.join(wanted)}, index ({', '.join(columns)})"] if wanted else []
        return " ".join([*parts, f"where {', '.join(fixed)}"] if fixed else parts)

    # -- names ---------------------------------------------------------------------------------------------------------

    def event(self, key: Key, patterns: Sequence[Term]) -> str:
        return self.show(Struct(key[0], tuple(patterns)) if patterns else Atom(key[0]))

    def fvp(self, key: Key, patterns: Sequence[Term]) -> str:
        *arguments, value = patterns
        return f"{self.event(key, arguments)}={self.show(value)}"

    def show(self, term: Term) -> str:
        renamed: dict[str, Term] = {name: Var(self.name(name)) for name in variables(term) if _OF_A_CLAUSE.match(name)}
        return show(substitute(term, renamed))

    def name(self, name: str) -> str:
        if numbered := numbered_variables(name):
            return f"number of {','.join(map(self.name, numbered))}"
        match = _OF_A_CLAUSE.match(name)
        if match is None:
            return name
        return match[1] if match[1] == "_" else f"{match[1]}#{self.numbers.setdefault(match[2], len(self.numbers) + 1)}"

    def names(self, names: Iterable[str]) -> str:
        return ", ".join(name for name in map(self.name, names) if name != "_")

    def binds(self, names: Iterable[str]) -> str:
        named = self.names(names)
        return f"binds {named}" if named else ""


def _variables_first(name: str) -> tuple[int, str]:
    return len(numbered_variables(name)), name


def _as_written(step: MatchPoints) -> list[Term]:
    """The patterns of a step, with the variables that are bound as part of a number only."""
    patterns = list(step.patterns)
    for column, positions in step.numbered:
        for name, position in zip(numbered_variables(column), positions, strict=True):
            patterns[position] = Var(name)
    return patterns


def _brings_time(step: Step) -> bool:
    return isinstance(step, MatchPoints | Broken | AnyOf)


def _is_scan(patterns: Sequence[Term], bound: set[str], is_timed: bool) -> bool:
    """Whether a table is read from end to end: it comes first, with constants and variables that stand once."""
    return not bound and not is_timed and is_plain(patterns)


def _column(position: int, n_patterns: int, *, has_value: bool) -> str:
    return "value" if has_value and position == n_patterns - 1 else str(position + 1)
