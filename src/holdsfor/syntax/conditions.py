"""Translate goals to conditions: the bodies of rules with a time-point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, cast

from holdsfor.errors import Diagnostics, did_you_mean
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    EDGE_NAMES,
    Collect,
    Condition,
    Either,
    Ends,
    Fvp,
    Happens,
    Holds,
    Initiated,
    Not,
    Starts,
    Terminated,
    Test,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Struct, Term, Var, conjuncts, equations, is_callable, name_and_arity

__all__ = ["TEMPORAL", "ConditionReader", "edge_of", "is_temporal", "read_event", "read_fvp"]

TEMPORAL = {
    ("happensAt", 2),
    ("holdsAt", 2),
    ("holdsFor", 2),
    ("initiatedAt", 2),
    ("initiatedAt", 4),
    ("terminatedAt", 2),
    ("terminatedAt", 4),
    ("initiates", 3),
    ("terminates", 3),
}
_TEMPORAL_NAMES = {name for name, _ in TEMPORAL}
_FVP_CONDITIONS: dict[str, type[Holds] | type[Initiated] | type[Terminated]] = {
    "holdsAt": Holds,
    "initiatedAt": Initiated,
    "terminatedAt": Terminated,
}
_EDGES: dict[str, type[Starts | Ends]] = {name: edge for edge, name in EDGE_NAMES.items()}
_AGGREGATES = {"sum", "max", "min", "bag", "set"}


def is_temporal(goal: Term) -> bool:
    """Whether a temporal predicate is called anywhere in the goal."""
    stack = [goal]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            if (here.name, len(here.args)) in TEMPORAL:
                return True
            stack.extend(here.args)
    return False


def read_fvp(term: Term, diagnostics: Diagnostics) -> Fvp | None:
    """The FVP that a term denotes, or a diagnostic."""
    if isinstance(term, Struct) and term.name == "=" and len(term.args) == 2:
        fluent, value = term.args
        if is_callable(fluent):
            return Fvp(fluent, value, term.span)
        diagnostics.add("HF202", f"expected a fluent before `=`, found `{show(fluent)}`", fluent.span or term.span)
        return None
    hint = f"write `{show(term)}=true`" if is_callable(term) else "write `fluent(…)=value`"
    diagnostics.add("HF202", f"expected a fluent with its value, found `{show(term)}`", term.span, hint)
    return None


def read_event(term: Term, diagnostics: Diagnostics) -> Term | None:
    """The event that a term denotes, or a diagnostic."""
    if is_callable(term) and not (isinstance(term, Struct) and term.name == "="):
        return term
    hint = "an FVP is not an event; `start(…)` and `end(…)` of it are events"
    if not isinstance(term, Struct):
        hint = "name the event, such as `go_to(X, Place)`"
    diagnostics.add("HF202", f"expected an event, found `{show(term)}`", term.span, hint)
    return None


def edge_of(event: Term) -> tuple[type[Starts | Ends], Term] | None:
    """The condition and the FVP of `start(F=V)`, `end(F=V)`, `startI(F=V)` or `endI(F=V)`."""
    if not isinstance(event, Struct) or event.name not in _EDGES or len(event.args) != 1:
        return None
    pair = event.args[0]
    return (_EDGES[event.name], pair) if isinstance(pair, Struct) and pair.name == "=" else None


class ConditionReader:
    """Reads the goals of one rule as conditions at its time-point."""

    def __init__(self, time: Var | None, diagnostics: Diagnostics) -> None:
        self.time = time
        self.diagnostics = diagnostics

    def body(self, goal: Term | None) -> tuple[Condition, ...]:
        return () if goal is None else tuple(c for g in conjuncts(goal) for c in self.conditions(g))

    def conditions(self, goal: Term) -> Iterable[Condition]:
        """The conditions that one goal denotes: normally one."""
        if isinstance(goal, Var):
            return self.refuse("HF204", "expected a condition, found a variable", goal.span)
        if not is_callable(goal):
            return self.refuse("HF204", f"expected a condition, found `{show(goal)}`", goal.span)
        if goal == Atom("true"):
            return ()
        if goal == Atom("!"):
            return self.refuse(
                "HF218", "a cut cannot stand in a rule with a time-point", goal.span, "rules do not suppress each other"
            )
        if isinstance(goal, Struct):
            reader = _READERS.get((goal.name, len(goal.args)), ConditionReader.goal)
            return reader(self, goal)
        return self.goal(goal)

    def refuse(self, code: str, message: str, span: Span | None, hint: str | None = None) -> tuple[Condition, ...]:
        self.diagnostics.add(code, message, span, hint)
        return ()

    # -- temporal predicates -----------------------------------------------------------------------------------------

    def at_time(self, time: Term, goal: Struct) -> None:
        """Check that a condition refers to the rule's time-point; the conditions of a delay refer to the due time."""
        if self.time is None and isinstance(time, Var):
            self.time = time
        if time == self.time:
            return
        expected = f"`{self.time.name}`" if self.time else "a variable"
        self.diagnostics.add(
            "HF203",
            f"expected the rule's time-point {expected}, found `{show(time)}`",
            time.span or goal.span,
            "all conditions of a rule refer to one time-point; use a fluent to refer to an earlier event",
        )

    def happens(self, goal: Struct) -> Iterable[Condition]:
        event, time = goal.args
        self.at_time(time, goal)
        edge = edge_of(event)
        if edge is not None:
            kind, pair = edge
            fvp = read_fvp(pair, self.diagnostics)
            return () if fvp is None else (kind(fvp, goal.span),)
        found = read_event(event, self.diagnostics)
        return () if found is None else (Happens(found, goal.span),)

    def fvp_condition(self, goal: Struct) -> Iterable[Condition]:
        self.at_time(goal.args[1] if len(goal.args) == 2 else goal.args[2], goal)
        fvp = read_fvp(goal.args[0], self.diagnostics)
        return () if fvp is None else (_FVP_CONDITIONS[goal.name](fvp, goal.span),)

    def old_effect(self, goal: Struct) -> Iterable[Condition]:
        event, pair, time = goal.args
        name = "initiatedAt" if goal.name == "initiates" else "terminatedAt"
        happens = self.happens(Struct("happensAt", (event, time), event.span))
        return (*happens, *self.fvp_condition(Struct(name, (pair, time), pair.span)))

    def holds_for(self, goal: Struct) -> Iterable[Condition]:
        return self.refuse(
            "HF204",
            "`holdsFor` cannot stand in a rule with a time-point",
            goal.span,
            "use `holdsAt(F=V, T)`",
        )

    # -- control -----------------------------------------------------------------------------------------------------

    def negation(self, goal: Struct) -> Iterable[Condition]:
        inner = self.body(goal.args[0])
        return (Not(inner, goal.span),)

    def disjunction(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        branches: list[tuple[Condition, ...]] = []
        rest: Term = goal
        while isinstance(rest, Struct) and rest.name == ";" and len(rest.args) == 2:
            first, rest = rest.args
            if isinstance(first, Struct) and first.name == "->" and len(first.args) == 2:
                return _either([*branches, *self.choice(first, rest)], goal)
            branches.append(self.body(first))
        return _either([*branches, self.body(rest)], goal)

    def choice(self, conditional: Struct, otherwise: Term | None) -> list[tuple[Condition, ...]]:
        """`(If -> Then ; Else)` as two branches, `If, Then` and `not If, Else`, for every answer of `If`."""
        test = self.body(conditional.args[0])
        then = self.body(conditional.args[1])
        branches = [(*test, *then)]
        if otherwise is not None:
            branches.append((Not(test, conditional.span), *self.body(otherwise)))
        return branches

    def conditional(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        return _either(self.choice(goal, None), goal)

    def forall(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        inner = Not(self.body(goal.args[1]), goal.span)
        return (Not((*self.body(goal.args[0]), inner), goal.span),)

    def findall(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        template, inner, result = goal.args
        return (Collect(template, self.body(inner), result, "list", goal.span),)

    def aggregate(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        what, inner, result = goal.args
        kind = what.name if isinstance(what, Atom) or (isinstance(what, Struct) and len(what.args) == 1) else None
        if what == Atom("count") or kind == "count":
            template = what.args[0] if isinstance(what, Struct) else Atom("count")
            return (Collect(template, self.body(inner), result, "count", goal.span),)
        if kind not in _AGGREGATES or isinstance(what, Atom):
            known = ["count", *sorted(_AGGREGATES)]
            hint = did_you_mean(kind or "", known) or f"known are {', '.join(f'`{k}`' for k in known)}"
            return self.refuse("HF204", f"unknown aggregate `{show(what)}`", what.span or goal.span, hint)
        assert isinstance(what, Struct)
        aggregate = cast(Literal["sum", "max", "min", "bag", "set"], kind)
        return (Collect(what.args[0], self.body(inner), result, aggregate, goal.span),)

    def sets(self, goal: Struct) -> Iterable[Condition]:
        if not is_temporal(goal):
            return self.goal(goal)
        return self.refuse(
            "HF204", f"`{goal.name}/3` cannot collect conditions", goal.span, "use `findall/3` or `aggregate_all/3`"
        )

    # -- atemporal goals ---------------------------------------------------------------------------------------------

    def goal(self, goal: Term) -> Iterable[Condition]:
        name, arity = name_and_arity(goal)
        if is_temporal(goal):
            return self.refuse(
                "HF204",
                f"a temporal predicate cannot stand inside `{name}/{arity}`",
                goal.span,
                "conditions stand in the body itself, under `not`, in `;`, or in `findall` and `aggregate_all`",
            )
        if name in _TEMPORAL_NAMES:
            arities = sorted(a for n, a in TEMPORAL if n == name)
            wanted = " or ".join(str(a) for a in arities)
            hint = "the last argument is the time-point `T` or the intervals `I`"
            return self.refuse("HF202", f"`{name}` has {wanted} arguments, found {arity}", goal.span, hint)
        return tuple(Test(each, goal.span) for each in equations(goal))


def _either(branches: list[tuple[Condition, ...]], goal: Struct) -> tuple[Condition, ...]:
    """The disjunction of the branches that can succeed: `(a ; fail)` is `a`, and binds the variables that `a` binds."""
    possible = [branch for branch in branches if not any(_is_failure(condition) for condition in branch)]
    if len(possible) > 1:
        return (Either(tuple(possible), goal.span),)
    return possible[0] if possible else (Test(Atom("fail"), goal.span),)


def _is_failure(condition: Condition) -> bool:
    return isinstance(condition, Test) and condition.goal in (Atom("fail"), Atom("false"))


_READERS: dict[tuple[str, int], Callable[[ConditionReader, Struct], Iterable[Condition]]] = {
    ("happensAt", 2): ConditionReader.happens,
    ("holdsAt", 2): ConditionReader.fvp_condition,
    ("initiatedAt", 2): ConditionReader.fvp_condition,
    ("initiatedAt", 4): ConditionReader.fvp_condition,
    ("terminatedAt", 2): ConditionReader.fvp_condition,
    ("terminatedAt", 4): ConditionReader.fvp_condition,
    ("initiates", 3): ConditionReader.old_effect,
    ("terminates", 3): ConditionReader.old_effect,
    ("holdsFor", 2): ConditionReader.holds_for,
    ("\\+", 1): ConditionReader.negation,
    ("not", 1): ConditionReader.negation,
    (";", 2): ConditionReader.disjunction,
    ("->", 2): ConditionReader.conditional,
    ("forall", 2): ConditionReader.forall,
    ("findall", 3): ConditionReader.findall,
    ("aggregate_all", 3): ConditionReader.aggregate,
    ("setof", 3): ConditionReader.sets,
    ("bagof", 3): ConditionReader.sets,
}
