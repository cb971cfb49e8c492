r"""Translate goals to interval steps: the bodies of `holdsFor` rules.

RTEC users write emptiness tests (`\+ I=[]`), cuts and empty fall-back clauses to save work. The reader drops such a
goal if this cannot change the answer, and refuses the goal otherwise. A test may be dropped if the result is empty
whenever the tested list is empty. A cut may be dropped if the clauses that it skips add no intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, get_args

from holdsfor.errors import Diagnostics, did_you_mean
from holdsfor.syntax.conditions import is_temporal, read_fvp
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Allen,
    AllenMode,
    AllenRelation,
    Complement,
    Duration,
    Fvp,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalStep,
    Not,
    RelativeComplement,
    Test,
    Union,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import (
    EMPTY_LIST,
    Atom,
    Struct,
    Term,
    Var,
    chained,
    conjuncts,
    equations,
    is_callable,
    is_ground,
    list_items,
    name_and_arity,
    variables,
)

__all__ = ["ALLEN_MODES", "INTERVAL_CONSTRUCTS", "IntervalStepReader"]

_INVERSES: dict[str, AllenRelation] = {
    "after": "before",
    "met_by": "meets",
    "started_by": "starts",
    "finished_by": "finishes",
    "contains": "during",
    "overlapped_by": "overlaps",
}
ALLEN_MODES: dict[str, AllenMode] = {
    **{mode: mode for mode in get_args(AllenMode)},
    "lhs": "source",
    "rhs": "target",
    "intersection": "intersect",
    "relative_complement": "complement",
    "relative_complement_inverse": "complement_inv",
}
_SWAPPED_MODES: dict[AllenMode, AllenMode] = {
    **{mode: mode for mode in get_args(AllenMode)},
    "source": "target",
    "target": "source",
    "complement": "complement_inv",
    "complement_inv": "complement",
}
_COMBINATIONS: dict[str, type[Union] | type[Intersect] | type[Complement]] = {
    "union_all": Union,
    "intersect_all": Intersect,
    "complement_all": Complement,
}
_RELATIONS = [*get_args(AllenRelation), *_INVERSES]
INTERVAL_CONSTRUCTS = {
    ("holdsFor", 2),
    ("union_all", 2),
    ("intersect_all", 2),
    ("complement_all", 2),
    ("relative_complement_all", 3),
    ("intDurGreater", 3),
    ("intDurLess", 3),
    ("allen", 5),
}


class IntervalStepReader:
    """Reads the goals of one `holdsFor` rule; `bound` holds the interval variables read so far.

    `intervalwise` lists the predicates that are declared to map intervals one by one.
    """

    def __init__(
        self, head: Fvp, result: Var, intervalwise: Collection[tuple[str, int]], diagnostics: Diagnostics
    ) -> None:
        self.diagnostics = diagnostics
        self.result = result.name
        self.intervalwise = intervalwise
        self.bound: dict[str, Var] = {}
        self.data = set(variables(head.fluent, head.value))
        self.steps: list[IntervalStep] = []
        self.emptiness_tests: list[tuple[frozenset[str], Span | None]] = []
        self.cuts: list[tuple[int, Span | None]] = []

    def body(self, goal: Term) -> tuple[IntervalStep, ...]:
        """The steps, ordered so that lists are computed before they are read; else in source order."""
        waiting = [self.unread(self.without_index(here)) for here in conjuncts(goal)]
        made = {here.made for here in waiting if here.made is not None}
        mentioned = Counter(name for here in waiting if not here.is_construct for name in here.names)
        in_order = True
        while waiting:
            ready = (i for i, here in enumerate(waiting) if not self.missing_lists(here, made, mentioned))
            first = next(ready, 0)
            in_order = in_order and first == 0
            here = waiting.pop(first)
            if not here.is_construct:
                mentioned.subtract(here.names)
            self.read(here.goal)
        if not in_order:
            self.cuts = [(len(self.steps), span) for _, span in self.cuts]
        return tuple(self.steps)

    def without_index(self, goal: Term) -> Term:
        """`holdsFor(F=V, I)` for `holdsFor(Index, F=V, I)`: the index is the place where RTEC stores the intervals."""
        if isinstance(goal, Struct) and (goal.name, len(goal.args)) == ("holdsFor", 3) and _is_fvp(goal.args[1]):
            message = f"the index `{show(goal.args[0])}` of `holdsFor` has no effect"
            self.diagnostics.add("HF392", message, goal.args[0].span or goal.span, "remove the index")
            return Struct("holdsFor", goal.args[1:], goal.span)
        return goal

    def unread(self, goal: Term) -> _Unread:
        names = frozenset(variables(goal))
        return _Unread(goal, names, _operands(goal), self.made_list(goal), _made_list(goal) is not None)

    def missing_lists(self, here: _Unread, made: set[str], mentioned: Counter[str]) -> frozenset[str]:
        """The lists that a goal reads and that a goal which is still unread computes or may compute.

        `mentioned` counts the unread goals with each variable that are no constructs; only constructs have operands.
        """
        awaited = (here.names & made) | {name for name in here.operands if mentioned[name]}
        return awaited - self.bound.keys() - {here.made}

    def made_list(self, goal: Term) -> str | None:
        """The name of the list that a construct or an interval-wise predicate computes; None for other goals."""
        if isinstance(goal, Struct) and name_and_arity(goal) in self.intervalwise:
            return goal.args[-1].name if isinstance(goal.args[-1], Var) else None
        return _made_list(goal)

    def read(self, goal: Term) -> None:
        if goal == Atom("true"):
            return
        if goal == Atom("!"):
            self.cuts.append((len(self.steps), goal.span))
            return
        if self.is_emptiness_test(goal):
            return
        if isinstance(goal, Struct):
            reader = _READERS.get((goal.name, len(goal.args)))
            if reader is not None:
                reader(self, goal)
                return
            if len(goal.args) == 4 and goal.name in _RELATIONS:
                self.allen(Struct("allen", (Atom(goal.name, goal.span), *goal.args), goal.span))
                return
        self.other(goal)

    # -- operands ----------------------------------------------------------------------------------------------------

    def bind(self, term: Term, goal: Struct) -> Var | None:
        """The variable that receives the result of a step."""
        if not isinstance(term, Var):
            self.diagnostics.add(
                "HF208", f"expected a variable for the intervals, found `{show(term)}`", term.span or goal.span
            )
            return None
        if term.name in self.bound:
            self.diagnostics.add("HF208", f"`{term.name}` already has intervals", term.span, "use another variable")
            return None
        self.bound[term.name] = term
        return term

    def operand(self, term: Term, goal: Struct) -> Term | None:
        """A list of intervals: a variable bound earlier, or a literal list."""
        if isinstance(term, Var):
            if term.name in self.bound:
                return term
            known = ", ".join(f"`{name}`" for name in self.bound) or "none yet"
            self.diagnostics.add("HF208", f"`{term.name}` has no intervals yet", term.span, f"bound so far: {known}")
            return None
        items, tail = list_items(term)
        if tail == EMPTY_LIST and all(_is_interval(item) for item in items):
            return term
        self.diagnostics.add(
            "HF208", f"expected a list of intervals, found `{show(term)}`", term.span or goal.span, "such as `[(3,7)]`"
        )
        return None

    def operands(self, term: Term, goal: Struct) -> tuple[Term, ...] | None:
        items, tail = list_items(term)
        if tail != EMPTY_LIST:
            self.diagnostics.add(
                "HF208", f"expected a list of interval lists, found `{show(term)}`", term.span, "such as `[I1, I2]`"
            )
            return None
        found = [self.operand(item, goal) for item in items]
        return tuple(item for item in found if item is not None) if None not in found else None

    # -- steps -------------------------------------------------------------------------------------------------------

    def holds_for(self, goal: Struct) -> None:
        fvp = read_fvp(goal.args[0], self.diagnostics)
        result = self.bind(goal.args[1], goal)
        if fvp is not None and result is not None:
            self.data.update(variables(fvp.fluent, fvp.value))
            self.steps.append(HoldsFor(fvp, result, goal.span))

    def combination(self, goal: Struct) -> None:
        lists = self.operands(goal.args[0], goal)
        result = self.bind(goal.args[1], goal)
        if lists is not None and result is not None:
            if goal.name == "intersect_all" and not lists:
                self.diagnostics.add("HF208", "`intersect_all` needs at least one list", goal.span)
            self.steps.append(_COMBINATIONS[goal.name](lists, result, goal.span))

    def relative_complement(self, goal: Struct) -> None:
        base = self.operand(goal.args[0], goal)
        lists = self.operands(goal.args[1], goal)
        result = self.bind(goal.args[2], goal)
        if base is not None and lists is not None and result is not None:
            self.steps.append(RelativeComplement(base, lists, result, goal.span))

    def duration(self, goal: Struct) -> None:
        intervals = self.operand(goal.args[0], goal)
        result = self.bind(goal.args[2], goal)
        comparison: Literal["greater", "less"] = "greater" if goal.name == "intDurGreater" else "less"
        if intervals is not None and result is not None:
            self.steps.append(Duration(comparison, intervals, goal.args[1], result, goal.span))

    def allen(self, goal: Struct) -> None:
        relation_term, source, target, mode_term, result_term = goal.args
        relation = self.known(relation_term, _RELATIONS, "Allen relation")
        mode_name = self.known(mode_term, list(ALLEN_MODES), "output mode")
        lists = self.operand(source, goal), self.operand(target, goal)
        result = self.bind(result_term, goal)
        if relation is None or mode_name is None or lists[0] is None or lists[1] is None or result is None:
            return
        mode = ALLEN_MODES[mode_name]
        if relation in _INVERSES:
            swapped = _SWAPPED_MODES[mode]
            self.steps.append(Allen(_INVERSES[relation], lists[1], lists[0], swapped, result, goal.span))
        else:
            direct: dict[str, AllenRelation] = {name: name for name in get_args(AllenRelation)}
            self.steps.append(Allen(direct[relation], lists[0], lists[1], mode, result, goal.span))

    def known(self, term: Term, names: list[str], what: str) -> str | None:
        name = term.name if isinstance(term, Atom) else show(term)
        if name in names:
            return name
        hint = did_you_mean(name, names) or f"there are {', '.join(f'`{n}`' for n in names)}"
        self.diagnostics.add("HF209", f"unknown {what} `{name}`", term.span, hint)
        return None

    def unification(self, goal: Struct) -> None:
        """`I = I1` renames a list of intervals; any other unification is an atemporal goal."""
        left, right = goal.args
        if self.must_be_empty(goal):
            return
        for result, source in ((left, right), (right, left)):
            if isinstance(source, Var) and source.name in self.bound and isinstance(result, Var):
                if result.name not in self.bound:
                    self.bound[result.name] = result
                    self.steps.append(Union((source,), result, goal.span))
                    return
            if isinstance(result, Var) and result.name == self.result and self.is_new_list(result, source):
                self.bound[result.name] = result
                self.steps.append(Union((source,), result, goal.span))
                return
        self.other(goal)

    def is_new_list(self, result: Var, written: Term) -> bool:
        """Whether a unification binds a variable without intervals to a literal list, which may be empty."""
        items, tail = list_items(written)
        is_list = tail == EMPTY_LIST and all(_is_interval(item) for item in items)
        return is_list and result.name not in self.bound and result.name not in self.data

    def must_be_empty(self, goal: Struct) -> bool:
        """Whether the goal tests that a list of intervals is empty; such a test is refused."""
        left, right = goal.args
        for term, other in ((left, right), (right, left)):
            if isinstance(term, Var) and term.name in self.bound and other == EMPTY_LIST:
                self.diagnostics.add(
                    "HF207",
                    f"dropping the test that `{term.name}` is empty could change the answer",
                    goal.span,
                    "the outcome depends on the window: use `relative_complement_all` or `complement_all`",
                )
                return True
        return False

    def temporal(self, goal: Struct) -> None:
        self.diagnostics.add(
            "HF204",
            f"`{goal.name}` cannot stand in a `holdsFor` rule",
            goal.span,
            "use `holdsFor(F=V, I)` and interval operations",
        )

    def negation(self, goal: Struct) -> None:
        if is_temporal(goal) or any(name in self.bound for name in variables(goal)):
            self.diagnostics.add(
                "HF207",
                "a negation over intervals cannot stand in a `holdsFor` rule",
                goal.span,
                "use `relative_complement_all` or `complement_all`",
            )
            return
        inner = tuple(Test(each, g.span) for g in conjuncts(goal.args[0]) for each in equations(g))
        self.steps.append(Not(inner, goal.span))

    def other(self, goal: Term) -> None:
        """An atemporal goal, or a call over interval lists if it mentions one."""
        if not is_callable(goal) or is_temporal(goal):
            hint = "write a rule for each alternative; a variable of the body alone stands for all its bindings"
            self.diagnostics.add("HF204", f"`{show(goal)}` cannot stand in a `holdsFor` rule", goal.span, hint)
            return
        if _has_construct(goal):
            hint = "write one clause for each alternative, without control constructs"
            self.diagnostics.add("HF204", f"an interval operation cannot stand inside `{show(goal)}`", goal.span, hint)
            return
        mentioned = variables(goal)
        inputs = tuple(name for name in mentioned if name in self.bound)
        if not inputs:
            self.data.update(mentioned)
            self.steps += [Test(each, goal.span) for each in equations(goal)]
            return
        if name_and_arity(goal) in self.intervalwise:
            self.intervalwise_call(goal, inputs)
            return
        outputs = tuple(name for name in mentioned if name not in self.bound and name not in self.data)
        self.steps.append(IntervalCall(goal, inputs, outputs, goal.span))
        self.bound.update({name: mentioned[name] for name in outputs})

    def intervalwise_call(self, goal: Term, inputs: tuple[str, ...]) -> None:
        """A call of a predicate that maps intervals one by one: its last argument receives the computed list."""
        result = goal.args[-1] if isinstance(goal, Struct) else goal
        if len(inputs) != 1 or not isinstance(result, Var) or result.name in (*self.bound, *self.data):
            self.diagnostics.add(
                "HF219",
                f"expected one list of intervals to read and a variable for the result, found `{show(goal)}`",
                goal.span,
                "an interval-wise predicate is called once per interval: the last argument is its result",
            )
            return
        self.data.update(name for name in variables(goal) if name not in (*inputs, result.name))
        self.steps.append(IntervalCall(goal, inputs, (result.name,), goal.span, is_intervalwise=True))
        self.bound[result.name] = result

    # -- optimisations -----------------------------------------------------------------------------------------------

    def is_emptiness_test(self, goal: Term) -> bool:
        """Whether the goal only tests that one of some lists is not empty. The test is recorded and then dropped."""
        names = _tested_lists(goal)
        if not names or not names <= set(self.bound):
            return False
        self.emptiness_tests.append((names, goal.span))
        return True

    def check_emptiness_tests(self, result: str) -> None:
        """Refuse the tests whose removal could change the result."""
        for names, span in self.emptiness_tests:
            if result not in _empty_with(names, self.steps):
                tested = " or ".join(f"`{name}`" for name in sorted(names))
                self.diagnostics.add(
                    "HF207",
                    f"dropping the test that {tested} is not empty could change the answer",
                    span,
                    "the outcome depends on the window: intersect with the list, or drop the test",
                )


@dataclass(frozen=True)
class _Unread:
    """A goal before it is read: its variables, the lists that it reads, and the list that it computes."""

    goal: Term
    names: frozenset[str]
    operands: set[str]
    made: str | None
    is_construct: bool


def _made_list(goal: Term) -> str | None:
    """The name of the list that a construct computes; None for other goals."""
    if not isinstance(goal, Struct):
        return None
    is_construct = (goal.name, len(goal.args)) in INTERVAL_CONSTRUCTS or (
        len(goal.args) == 4 and goal.name in _RELATIONS
    )
    result = goal.args[-1] if is_construct else None
    return result.name if isinstance(result, Var) else None


def _is_fvp(term: Term) -> bool:
    return isinstance(term, Struct) and (term.name, len(term.args)) == ("=", 2)


def _operands(goal: Term) -> set[str]:
    """The lists that a construct reads; empty for other goals."""
    if not isinstance(goal, Struct) or _made_list(goal) is None:
        return set()
    match goal.name:
        case "holdsFor":
            return set()
        case "intDurGreater" | "intDurLess":
            return {*variables(goal.args[0])}
        case _:
            return {*variables(*goal.args[:-1])}


def _is_interval(term: Term) -> bool:
    return isinstance(term, Struct) and term.name == "," and len(term.args) == 2 and is_ground(term)


def _tested_lists(goal: Term) -> frozenset[str]:
    """The lists of which a goal tests that at least one is not empty; empty for any other goal.

    `\\+ I=[]`, `not(I=[])`, `\\+ I==[]`, `I \\= []`, `I \\== []`, their mirror images, `I=[_|_]`, a disjunction of such
    goals, and `\\+ (I=[], J=[])`.
    """
    match goal:
        case Struct(name=";", args=(_, _)):
            found = [_tested_lists(branch) for branch in chained(goal)]
            return frozenset().union(*found) if all(found) else frozenset()
        case Struct(name="\\+" | "not", args=(inner,)):
            tested = [_compared_list(each, ("=", "==")) for each in conjuncts(inner)]
            return frozenset(name for name in tested if name) if all(tested) else frozenset()
        case Struct(name="=", args=(Var(name=name), Struct(name="[|]", args=(Var() as head, Var() as tail)))):
            return frozenset([name]) if head.is_anonymous and tail.is_anonymous else frozenset()
    compared = _compared_list(goal, ("\\=", "\\=="))
    return frozenset([compared]) if compared else frozenset()


def _compared_list(goal: Term, operators: tuple[str, str]) -> str | None:
    """The variable that an operator compares with the empty list."""
    if isinstance(goal, Struct) and goal.name in operators and len(goal.args) == 2 and EMPTY_LIST in goal.args:
        other = goal.args[0] if goal.args[1] == EMPTY_LIST else goal.args[1]
        return other.name if isinstance(other, Var) else None
    return None


def _has_construct(goal: Term) -> bool:
    """Whether a goal contains an interval operation."""
    stack = list(goal.args) if isinstance(goal, Struct) else []
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            if (here.name, len(here.args)) in INTERVAL_CONSTRUCTS:
                return True
            stack += here.args
    return False


def _empty_with(names: frozenset[str], steps: list[IntervalStep]) -> set[str]:
    """The interval variables that are certainly empty if the named variables are empty."""
    empty = set(names)

    def is_empty(term: Term) -> bool:
        return term == EMPTY_LIST or (isinstance(term, Var) and term.name in empty)

    for step in steps:
        match step:
            case Union(lists, result) if all(map(is_empty, lists)):
                empty.add(result.name)
            case Intersect(lists, result) if any(map(is_empty, lists)):
                empty.add(result.name)
            case RelativeComplement(base=source, result=result) | Duration(intervals=source, result=result):
                if is_empty(source):
                    empty.add(result.name)
            case IntervalCall(inputs=(source_name,), outputs=(made,), is_intervalwise=True) if source_name in empty:
                empty.add(made)
            case Allen(source=source, target=target, result=result) if is_empty(source) or is_empty(target):
                empty.add(result.name)
    return empty


_READERS: dict[tuple[str, int], Callable[[IntervalStepReader, Struct], None]] = {
    ("holdsFor", 2): IntervalStepReader.holds_for,
    ("union_all", 2): IntervalStepReader.combination,
    ("intersect_all", 2): IntervalStepReader.combination,
    ("complement_all", 2): IntervalStepReader.combination,
    ("relative_complement_all", 3): IntervalStepReader.relative_complement,
    ("intDurGreater", 3): IntervalStepReader.duration,
    ("intDurLess", 3): IntervalStepReader.duration,
    ("allen", 5): IntervalStepReader.allen,
    ("=", 2): IntervalStepReader.unification,
    ("==", 2): IntervalStepReader.unification,
    ("\\+", 1): IntervalStepReader.negation,
    ("not", 1): IntervalStepReader.negation,
    ("happensAt", 2): IntervalStepReader.temporal,
    ("holdsAt", 2): IntervalStepReader.temporal,
    ("initiatedAt", 2): IntervalStepReader.temporal,
    ("terminatedAt", 2): IntervalStepReader.temporal,
    ("initiatedAt", 4): IntervalStepReader.temporal,
    ("terminatedAt", 4): IntervalStepReader.temporal,
}
