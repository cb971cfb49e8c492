"""Translate clauses to an event description: sort them into rules, declarations and background knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from holdsfor.errors import Diagnostics, did_you_mean
from holdsfor.syntax.conditions import ConditionReader, edge_of, is_temporal, read_event, read_fvp
from holdsfor.syntax.durations import UNITS, Durations
from holdsfor.syntax.interval_steps import INTERVAL_CONSTRUCTS, IntervalStepReader
from holdsfor.syntax.output_selectors import SHOW, read_selectors
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, Directive, FactTable, InputFactTable, Program
from holdsfor.syntax.rules import (
    Condition,
    Delay,
    Fvp,
    Grounding,
    HoldsFor,
    Initially,
    InputDeclaration,
    InputFact,
    IntervalCall,
    IntervalRule,
    PointRule,
    Postponable,
    Test,
    with_some_values,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import (
    EMPTY_LIST,
    Atom,
    Int,
    Struct,
    Term,
    Var,
    conjuncts,
    is_callable,
    is_ground,
    list_items,
    name_and_arity,
    variables,
)
from holdsfor.syntax.time_points import EARLIEST, LATEST, OPEN_END

__all__ = ["CollectGrounds", "EventDescription", "Index", "declare", "describe"]


@dataclass(frozen=True, slots=True)
class CollectGrounds:
    """`collectGrounds(entities, domain)`: the domain is filled from the arguments of these entities."""

    entities: tuple[Term, ...]
    domain: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Index:
    """`index(entity, argument)`: the argument is preferred as a partitioning key."""

    entity: Term
    argument: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass
class EventDescription:
    """The contents of a set of rule files by kind, each kind in source order."""

    point_rules: list[PointRule] = field(default_factory=list)
    interval_rules: list[IntervalRule] = field(default_factory=list)
    initially: list[Initially] = field(default_factory=list)
    delays: list[Delay] = field(default_factory=list)
    postponable: list[Postponable] = field(default_factory=list)
    groundings: list[Grounding] = field(default_factory=list)
    dynamic_domains: list[Term] = field(default_factory=list)
    collected: list[CollectGrounds] = field(default_factory=list)
    inputs: list[InputDeclaration] = field(default_factory=list)
    given: list[InputFact] = field(default_factory=list)
    conditional: list[Clause] = field(default_factory=list)
    indices: list[Index] = field(default_factory=list)
    background: list[Clause | FactTable] = field(default_factory=list)
    time_unit: str = "s"
    time_zone: str = "UTC"
    uses_durations: bool = False
    dynamic_predicates: list[tuple[str, int]] = field(default_factory=list)
    intervalwise: list[tuple[str, int]] = field(default_factory=list)
    output: list[Term] = field(default_factory=list)
    shown: list[Term] = field(default_factory=list)

    @property
    def selectors(self) -> list[Term]:
        """The fluents and events to report: those given to the run, else those of the rules; empty for all."""
        return self.shown or self.output


def describe(programs: Iterable[Program], diagnostics: Diagnostics) -> EventDescription:
    """The event description that the programs define together."""
    reader = _DescriptionReader(diagnostics)
    items = [item for program in programs for item in program.items]
    for item in items:
        if isinstance(item, Directive):
            reader.directive(item)
    for item in items:
        match item:
            case FactTable():
                reader.description.background.append(item)
            case InputFactTable():
                reader.input_fact_table(item)
            case Clause():
                reader.clause(item)
    reader.check_cuts()
    reader.description.uses_durations = reader.durations.is_used
    return reader.description


_DEFINED_BY_THE_LANGUAGE = {
    ("union_all", 2): "interval operations are built in",
    ("intersect_all", 2): "interval operations are built in",
    ("relative_complement_all", 3): "interval operations are built in",
    ("complement_all", 2): "interval operations are built in",
    ("allen", 5): "Allen relations are built in",
}


def declare(declarations: Iterable[Clause], description: EventDescription, diagnostics: Diagnostics) -> None:
    """Add declarations without bodies to a description."""
    reader = _DescriptionReader(diagnostics)
    reader.description = description
    for declaration in declarations:
        reader.clause(declaration)


_HOOKS = {("preProcessing", 1), ("iePList", 4), ("simpleFPList", 4), ("sdFPList", 4), ("evTList", 3)}
_LEFTOVERS = {
    *(("needsGrounding", 3), ("cachingOrder", 1), ("cachingOrder2", 2), ("levelOf", 2), ("dgrounded", 2)),
    *(("inputEntity", 1), ("outputEntity", 1), ("internalEntity", 1), ("simpleFluent", 1), ("sDFluent", 1)),
}
_DECLARATIONS = {
    *(("collectIntervals", 1), ("buildFromPoints", 1), ("points", 1), ("index", 2)),
    *(("dynamicDomain", 1), ("collectGrounds", 2)),
}
_SILENT_DIRECTIVES = {"op", "[|]", "consult", "include", "ensure_loaded", "load_files", "dynamic"}


class _DescriptionReader:
    """Sorts clauses by the predicates of their heads."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.description = EventDescription()
        self.cuts: list[tuple[IntervalRule, Span | None]] = []
        self.durations = Durations()

    def clause(self, clause: Clause) -> None:
        clause = self.durations.replaced(clause)
        key = name_and_arity(clause.head)
        if key in _DEFINED_BY_THE_LANGUAGE:
            message = f"`{key[0]}/{key[1]}` cannot be defined"
            self.diagnostics.add("HF201", message, clause.head.span, _DEFINED_BY_THE_LANGUAGE[key])
        elif key in _HOOKS:
            self.diagnostics.add(
                "HF213",
                f"`{key[0]}/{key[1]}` is a hook into the internals of RTEC's engine",
                clause.head.span,
                "use rules instead: an output event, a statically determined fluent or background knowledge",
            )
        elif key in _LEFTOVERS:
            self.diagnostics.add("HF392", f"`{key[0]}/{key[1]}` has no effect", clause.head.span, "remove the clause")
        elif key in _CLAUSES and not (key == ("p", 1) and not _is_pair(clause.head)):
            assert isinstance(clause.head, Struct)
            if key in _DECLARATIONS and clause.body is not None:
                self.conditional_declaration(clause)
                return
            _CLAUSES[key](self, clause.head, clause)
        else:
            self.background(clause)

    def directive(self, directive: Directive) -> None:
        for goal in conjuncts(directive.goal):
            self.directive_goal(goal, directive)

    def selectors(self, goal: Term, directive: Directive) -> list[Term]:
        """The output that a directive selects."""
        given = goal.args if isinstance(goal, Struct) else (EMPTY_LIST,)
        return read_selectors(given, self.diagnostics, directive.span)

    def directive_goal(self, goal: Term, directive: Directive) -> None:
        if not is_callable(goal):
            self.diagnostics.add("HF202", f"expected a directive, found `{show(goal)}`", directive.span)
            return
        name, _ = name_and_arity(goal)
        if name == "dynamic" and isinstance(goal, Struct):
            self.description.dynamic_predicates.extend(_predicate_indicators(goal.args[0]))
        elif name == "intervalwise" and isinstance(goal, Struct):
            self.description.intervalwise.extend(_predicate_indicators(goal.args[0]))
        elif name == "output":
            self.description.output.extend(self.selectors(goal, directive))
        elif name == SHOW:
            self.description.shown.extend(self.selectors(goal, directive))
        elif name in ("$time_unit", "$time_zone") and isinstance(goal, Struct):
            self.clock(name, goal.args[0])
        elif name not in _SILENT_DIRECTIVES:
            self.diagnostics.add("HF391", f"the directive `{name}` has no effect", directive.span)

    def clock(self, name: str, value: Term) -> None:
        """A directive that a run adds: `'$time_unit'(ms)` or `'$time_zone'('Europe/Athens')`."""
        assert isinstance(value, Atom)
        if name == "$time_unit":
            self.description.time_unit = value.name
            self.durations.per_second = UNITS[value.name]
        else:
            self.description.time_zone = value.name

    def background(self, clause: Clause) -> None:
        if clause.body is not None and is_temporal(clause.body):
            name, arity = name_and_arity(clause.head)
            message = f"`{name}/{arity}` is background knowledge and cannot have temporal conditions"
            hint = did_you_mean(name, ("happensAt", "initiatedAt", "terminatedAt", "holdsFor"))
            hint = hint or "define an event with `happensAt` or a fluent with `initiatedAt` or `holdsFor`"
            self.diagnostics.add("HF204", message, clause.body.span, hint)
            return
        self.description.background.append(clause)

    # -- rules with a time-point -------------------------------------------------------------------------------------

    def time(self, term: Term) -> Var | None:
        if isinstance(term, Var):
            return term
        is_later = isinstance(term, Struct) and term.name in ("+", "-")
        hint = "an effect at another time is a delay: `fi(F=V, G=W, Delay)`" if is_later else "such as `T`"
        self.diagnostics.add("HF203", f"expected a variable as the time-point, found `{show(term)}`", term.span, hint)
        return None

    def effect(self, head: Struct, clause: Clause) -> None:
        """`initiatedAt` and `terminatedAt` with two or four arguments."""
        if _is_old_initially(head):
            self.initial_value(head, clause)
            return
        fvp = read_fvp(head.args[0], self.diagnostics)
        time = self.time(head.args[1] if len(head.args) == 2 else head.args[2])
        if fvp is not None and time is not None:
            kind: Literal["initiatedAt", "terminatedAt"]
            kind = "initiatedAt" if head.name == "initiatedAt" else "terminatedAt"
            self.point_rule(kind, fvp, time, clause)

    def old_effect(self, head: Struct, clause: Clause) -> None:
        """`initiates(E, F=V, T)` and `terminates(E, F=V, T)`."""
        fvp = read_fvp(head.args[1], self.diagnostics)
        time = self.time(head.args[2])
        if fvp is not None and time is not None:
            kind: Literal["initiatedAt", "terminatedAt"]
            kind = "initiatedAt" if head.name == "initiates" else "terminatedAt"
            self.point_rule(kind, fvp, time, clause, Struct("happensAt", (head.args[0], time), head.args[0].span))

    def event(self, head: Struct, clause: Clause) -> None:
        event = read_event(head.args[0], self.diagnostics)
        if event is None:
            return
        if edge_of(event) is not None:
            assert isinstance(event, Struct)
            hint = "they follow from the intervals of the fluent"
            self.diagnostics.add("HF201", f"`{event.name}` events cannot be defined", event.span, hint)
            return
        if clause.body is None or (clause.body == Atom("true") and isinstance(head.args[1], Int)):
            self.given(event, head.args[1], clause)
            return
        time = self.time(head.args[1])
        if time is not None:
            self.point_rule("happensAt", event, time, clause)

    def given(self, entity: Fvp | Term, time: Term, clause: Clause) -> None:
        """An event or FVP at a time-point, given as a fact."""
        term = entity.term if isinstance(entity, Fvp) else entity
        if isinstance(time, Int) and abs(time.value) <= LATEST and is_ground(term):
            self.description.given.append(InputFact(entity, time.value, None, clause.span))
            return
        found = term if isinstance(time, Int) and abs(time.value) <= LATEST else time
        message = f"expected a fact without variables at a time-point, found `{show(found)}`"
        self.diagnostics.add("HF215", message, found.span or clause.span, "a rule has a body, a fact is input")

    def input_fact_table(self, table: InputFactTable) -> None:
        """A run of facts."""
        for name, arguments, value, start, end in table.rows:
            entity: Term = Struct(name, arguments) if arguments else Atom(name)
            self.description.given.append(
                InputFact(entity if value is None else Fvp(entity, value), start, end, table.span)
            )

    def input_event_fact(self, head: Struct, clause: Clause) -> None:
        """`holdsAt(F=V, T).`"""
        if clause.body is not None:
            hint = "fluents are defined by `initiatedAt`, `terminatedAt` or `holdsFor`"
            self.diagnostics.add("HF201", "`holdsAt/2` cannot be defined", clause.head.span, hint)
            return
        fvp = read_fvp(head.args[0], self.diagnostics)
        if fvp is not None:
            self.given(fvp, head.args[1], clause)

    def input_interval_fact(self, fvp: Fvp, intervals: list[Term], clause: Clause) -> None:
        """`holdsFor(F=V, [(S,E), …]).`"""
        is_known = is_ground(fvp.term)
        for interval in intervals:
            match interval:
                case Struct(name=",", args=(Int(start), Int(end))) if EARLIEST <= start < end <= LATEST and is_known:
                    self.description.given.append(InputFact(fvp, start, end, clause.span))
                case Struct(name=",", args=(Int(start), Atom("inf"))) if EARLIEST <= start < LATEST and is_known:
                    self.description.given.append(InputFact(fvp, start, OPEN_END, clause.span))
                case _:
                    message = f"expected a ground FVP with intervals such as `(3,8)`, found `{show(interval)}`"
                    hint = "an interval has two time-points, its end is after its start"
                    self.diagnostics.add("HF215", message, interval.span or clause.span, hint)

    def point_rule(
        self,
        kind: Literal["happensAt", "initiatedAt", "terminatedAt"],
        head: Fvp | Term,
        time: Var,
        clause: Clause,
        event: Struct | None = None,
    ) -> None:
        """Add a rule, unless its body has errors; `event` is a condition that older forms write in the head."""
        n_before = len(self.diagnostics)
        first = () if event is None else ConditionReader(time, self.diagnostics).happens(event)
        body = (*first, *self.conditions(clause, time))
        if len(self.diagnostics) == n_before:
            self.description.point_rules.append(PointRule(kind, head, time, body, clause.span))

    def conditions(self, clause: Clause, time: Var | None) -> tuple[Condition, ...]:
        return ConditionReader(time, self.diagnostics).body(clause.body)

    # -- statically determined fluents -------------------------------------------------------------------------------

    def interval_rule(self, head: Struct, clause: Clause) -> None:
        fvp = read_fvp(head.args[0], self.diagnostics)
        result = head.args[1]
        if fvp is None:
            return
        if result == EMPTY_LIST:
            number = len(self.description.interval_rules)
            rule = IntervalRule(fvp, result, (), is_empty=True, span=clause.span, number=number)
            self.description.interval_rules.append(rule)
            return
        intervals, tail = list_items(result)
        if clause.body is None and intervals and tail == EMPTY_LIST:
            self.input_interval_fact(fvp, intervals, clause)
            return
        if clause.body is None or not isinstance(result, Var):
            self.diagnostics.add(
                "HF208",
                f"expected intervals computed by the body, found `{show(result)}`",
                result.span,
                "write `holdsFor(F=V, I) :- …` with a body that computes `I`",
            )
            return
        self.computed_intervals(fvp, result, clause)

    def computed_intervals(self, fvp: Fvp, result: Var, clause: Clause) -> None:
        assert clause.body is not None
        reader = IntervalStepReader(fvp, result, self.description.intervalwise, self.diagnostics)
        n_before = len(self.diagnostics)
        steps = with_some_values(fvp, reader.body(clause.body))
        number = len(self.description.interval_rules)
        rule = IntervalRule(fvp, result, steps, span=clause.span, number=number)
        if result.name not in reader.bound:
            if len(self.diagnostics) == n_before:
                hint = _misspelt_construct(clause.body) or "let its last step bind it"
                self.diagnostics.add("HF208", f"the body does not compute `{result.name}`", result.span, hint)
            return
        reader.check_emptiness_tests(result.name)
        self.cuts.extend((rule, span) for _, span in reader.cuts)
        for n_steps, span in reader.cuts:
            self.check_deterministic(rule, n_steps, span)
        self.description.interval_rules.append(rule)

    def check_deterministic(self, rule: IntervalRule, n_steps: int, span: Span | None) -> None:
        """Refuse a cut after a goal that may have several answers."""
        known = set(variables(rule.fvp.fluent, rule.fvp.value))
        for step in rule.body[:n_steps]:
            goal = step.goal if isinstance(step, Test) else step.fvp.term if isinstance(step, HoldsFor) else None
            if isinstance(step, IntervalCall) and step.outputs and not step.is_intervalwise:
                self.refuse_cut(span, f"`{show(step.goal)}` before it may have several answers")
                return
            unions = step.some if isinstance(step, HoldsFor) else ()
            if goal is not None and set(variables(goal)) - known - {*unions}:
                self.refuse_cut(span, f"`{show(goal)}` before it may have several answers")
                return

    def check_cuts(self) -> None:
        """Refuse cuts that prevent later clauses from adding intervals."""
        rules = self.description.interval_rules
        for rule, span in self.cuts:
            later = rules[rules.index(rule) + 1 :]
            same = [other for other in later if not other.is_empty and _may_be_same(other.fvp, rule.fvp)]
            if same:
                line = f" (line {same[0].span.line})" if same[0].span else ""
                self.refuse_cut(span, f"a later clause for `{same[0].fvp}`{line} adds intervals")

    def refuse_cut(self, span: Span | None, reason: str) -> None:
        self.diagnostics.add(
            "HF207",
            f"dropping the cut could change the answer: {reason}",
            span,
            "the effect of a cut depends on the window: make the clauses exclude each other, or drop the cut",
        )

    # -- facts and declarations --------------------------------------------------------------------------------------

    def initial_value(self, head: Struct, clause: Clause) -> None:
        """`initially(F=V)`, or `initiatedAt(F=V, T1, -1, T2)` with trivial conditions on its bounds."""
        fvp = read_fvp(head.args[0], self.diagnostics)
        bounds = {bound.name for bound in head.args[1:] if isinstance(bound, Var)}
        body = tuple(condition for condition in self.atemporal(clause) if not _is_bound_test(condition, bounds))
        if fvp is not None:
            self.description.initially.append(Initially(fvp, body, clause.span))

    def atemporal(self, clause: Clause) -> tuple[Condition, ...]:
        if clause.body is None:
            return ()
        if is_temporal(clause.body):
            name, _ = name_and_arity(clause.head)
            hint = "the declaration holds at all times: use background knowledge, or an `initiatedAt` rule"
            self.diagnostics.add("HF204", f"`{name}` cannot have temporal conditions", clause.body.span, hint)
            return ()
        return self.conditions(clause, None)

    def future_initiation(self, head: Struct, clause: Clause) -> None:
        source = read_fvp(head.args[0], self.diagnostics)
        target = read_fvp(head.args[1], self.diagnostics)
        if source is not None and target is not None:
            if source == target:
                self.diagnostics.add("HF210", f"`{source}` cannot initiate itself", target.span, "use another value")
            self.delay(source, target, head.args[2], clause)
            if head.name == "maxDurationUE":
                self.description.postponable.append(Postponable(source, (), clause.span))

    def future_termination(self, head: Struct, clause: Clause) -> None:
        source = read_fvp(head.args[0], self.diagnostics)
        if source is not None:
            self.delay(source, None, head.args[1], clause)

    def delay(self, source: Fvp, target: Fvp | None, delay: Term, clause: Clause) -> None:
        positive = isinstance(delay, Var) or (isinstance(delay, Int) and delay.value > 0)
        if not positive:
            self.diagnostics.add(
                "HF210",
                f"expected a delay of at least one time-point, found `{show(delay)}`",
                delay.span,
                "a delay is a positive integer, or a variable that the body computes",
            )
            return
        reader = ConditionReader(None, self.diagnostics)
        n_before = len(self.diagnostics)
        body = reader.body(clause.body)
        if len(self.diagnostics) > n_before:
            return
        self.description.delays.append(Delay(source, target, delay, body, reader.time, clause.span))

    def postponement(self, head: Struct, clause: Clause) -> None:
        fvp = read_fvp(head.args[0], self.diagnostics)
        if fvp is not None:
            self.description.postponable.append(Postponable(fvp, self.atemporal(clause), clause.span))

    def grounding(self, head: Struct, clause: Clause) -> None:
        entity = head.args[0]
        goals = tuple(conjuncts(clause.body)) if clause.body is not None else ()
        if isinstance(entity, Var):
            if not _fails(clause):
                hint = "write one grounding for each fluent and event, such as `grounding(happy(X)=true) :- person(X).`"
                self.diagnostics.add("HF202", "expected an event or an FVP, found a variable", entity.span, hint)
            return
        read = read_fvp(entity, self.diagnostics) if _is_pair(head) else read_event(entity, self.diagnostics)
        if read is not None:
            self.description.groundings.append(Grounding(read, goals, clause.span))

    def dynamic_domain(self, head: Struct, clause: Clause) -> None:
        domain = head.args[0]
        if isinstance(domain, Struct):
            self.description.dynamic_domains.append(domain)
        else:
            self.diagnostics.add("HF202", f"expected a domain such as `person(_)`, found `{show(domain)}`", domain.span)

    def collect_grounds(self, head: Struct, clause: Clause) -> None:
        entities, tail = list_items(head.args[0])
        if tail != EMPTY_LIST or not isinstance(head.args[1], Struct):
            self.diagnostics.add(
                "HF202", "expected `collectGrounds([Entity, …], domain(X))`", clause.span, "name the entities in a list"
            )
            return
        self.description.collected.append(CollectGrounds(tuple(entities), head.args[1], clause.span))

    def input_shape(self, head: Struct, clause: Clause) -> None:
        if isinstance(head.args[0], Var):
            return
        shape: Literal["intervals", "points"] = "intervals" if head.name == "collectIntervals" else "points"
        fvp = read_fvp(head.args[0], self.diagnostics)
        if fvp is not None:
            self.description.inputs.append(InputDeclaration(shape, fvp, clause.span))

    def index(self, head: Struct, clause: Clause) -> None:
        self.description.indices.append(Index(head.args[0], head.args[1], clause.span))

    def conditional_declaration(self, clause: Clause) -> None:
        """A declaration with a body declares every answer that the background knowledge proves."""
        n_before = len(self.diagnostics)
        self.atemporal(clause)
        if len(self.diagnostics) == n_before and not _fails(clause):
            self.description.conditional.append(clause)


_CLAUSES: dict[tuple[str, int], Callable[[_DescriptionReader, Struct, Clause], None]] = {
    ("initiatedAt", 2): _DescriptionReader.effect,
    ("initiatedAt", 4): _DescriptionReader.effect,
    ("terminatedAt", 2): _DescriptionReader.effect,
    ("terminatedAt", 4): _DescriptionReader.effect,
    ("initiates", 3): _DescriptionReader.old_effect,
    ("terminates", 3): _DescriptionReader.old_effect,
    ("happensAt", 2): _DescriptionReader.event,
    ("holdsFor", 2): _DescriptionReader.interval_rule,
    ("holdsAt", 2): _DescriptionReader.input_event_fact,
    ("initially", 1): _DescriptionReader.initial_value,
    ("fi", 3): _DescriptionReader.future_initiation,
    ("maxDuration", 3): _DescriptionReader.future_initiation,
    ("maxDurationUE", 3): _DescriptionReader.future_initiation,
    ("ft", 2): _DescriptionReader.future_termination,
    ("p", 1): _DescriptionReader.postponement,
    ("grounding", 1): _DescriptionReader.grounding,
    ("dynamicDomain", 1): _DescriptionReader.dynamic_domain,
    ("collectGrounds", 2): _DescriptionReader.collect_grounds,
    ("collectIntervals", 1): _DescriptionReader.input_shape,
    ("buildFromPoints", 1): _DescriptionReader.input_shape,
    ("points", 1): _DescriptionReader.input_shape,
    ("index", 2): _DescriptionReader.index,
}


def _is_old_initially(head: Struct) -> bool:
    """Whether the head is `initiatedAt(F=V, T1, -1, T2)`, the older form of `initially(F=V)`."""
    return head.name == "initiatedAt" and len(head.args) == 4 and head.args[2] == Int(-1)


def _is_bound_test(condition: Condition, bounds: set[str]) -> bool:
    """Whether a condition compares only bounds and numbers, such as `T1 =< -1`."""
    if not isinstance(condition, Test) or not isinstance(condition.goal, Struct):
        return False
    names = set(variables(condition.goal))
    return condition.goal.name in ("<", ">", "=<", ">=") and bool(names) and names <= bounds


def _is_pair(term: Term) -> bool:
    """Whether the first argument is written as `F=V`."""
    return isinstance(term, Struct) and isinstance(term.args[0], Struct) and term.args[0].name == "="


def _fails(clause: Clause) -> bool:
    """Whether the body always fails: `buildFromPoints(_) :- fail.` declares nothing."""
    return clause.body in (Atom("fail"), Atom("false"))


def _may_be_same(left: Fvp, right: Fvp) -> bool:
    """Whether two heads may denote the same FVP."""
    pairs = [(left.fluent, right.fluent), (left.value, right.value)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, Var) or isinstance(other, Var):
            continue
        if isinstance(one, Struct) and isinstance(other, Struct) and name_and_arity(one) == name_and_arity(other):
            pairs += zip(one.args, other.args, strict=True)
        elif isinstance(one, Struct) or one != other:
            return False
    return True


def _predicate_indicators(term: Term) -> list[tuple[str, int]]:
    """The predicates of `dynamic a/1, b/2` or `dynamic([a/1])`."""
    items = [item for goal in conjuncts(term) for item in (list_items(goal)[0] or [goal])]
    return [
        (item.args[0].name, item.args[1].value)
        for item in items
        if isinstance(item, Struct) and item.name == "/" and len(item.args) == 2
        if isinstance(item.args[0], Atom) and isinstance(item.args[1], Int)
    ]


def _misspelt_construct(body: Term) -> str | None:
    """The hint for a goal whose name resembles a construct of `holdsFor` rules."""
    names = [name for name, _ in INTERVAL_CONSTRUCTS]
    called = [name_and_arity(goal)[0] for goal in conjuncts(body) if is_callable(goal)]
    return next((hint for name in called if name not in names and (hint := did_you_mean(name, names))), None)
