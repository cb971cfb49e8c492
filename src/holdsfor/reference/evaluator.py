"""The reference evaluator: the intervals and events of a whole history, point by point.

The components of the dependency graph are evaluated level by level. A statically determined FVP is computed from the
finished intervals of others. Events and simple fluents are computed by time stepping over the time-points at which
anything happens: at each, the rules derive events, initiations and terminations, and inertia carries the FVPs that hold
to the next. Delayed effects are kept in a list until they are due. There are no windows and no optimisations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeVar

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.input_facts import input_fact_records
from holdsfor.analysis.levels import Component, Moment
from holdsfor.analysis.patterns import may_match
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.sorts import sorts_of
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog import Engine, standard_order_key
from holdsfor.prolog.background import background_database
from holdsfor.prolog.faults import Faults
from holdsfor.reference.conditions import Conditions
from holdsfor.reference.delays import Pending, PendingEffects
from holdsfor.reference.domains import Domains, fill_dynamic_domains
from holdsfor.reference.history import History, RunBounds
from holdsfor.reference.interval_rules import interval_rule_results
from holdsfor.reference.intervals import INF, Intervals, contains, next_point, previous_point
from holdsfor.reference.matching import Binding, match
from holdsfor.reference.postponement import PostponableEffect, resolve_postponements
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Ends, Happens, Holds, Initiated, PointRule, Starts, Terminated, condition_variables
from holdsfor.syntax.terms import Int, Struct, Term, Var, is_ground, name_and_arity, substitute, variables

__all__ = ["ReferenceResult", "recognise"]

Found = TypeVar("Found")

_ANY_FVP = Struct("=", (Var("_F"), Var("_V")))


@dataclass(frozen=True)
class ReferenceResult:
    """The recognised maximal intervals of FVPs (terms `F=V`) and time-points of output events.

    `pending` are the delayed effects that are due after the run: the fluent that one would change, and its due time.
    """

    run: RunBounds
    intervals: dict[Term, Intervals]
    times: dict[Term, tuple[int, ...]]
    pending: tuple[tuple[tuple[str, int], int], ...] = ()

    def holds_for(self, fvp: Term) -> Intervals:
        return self.intervals.get(fvp, ())

    def holds_at(self, time: int) -> list[Term]:
        """The FVPs that hold at a time-point, in standard order."""
        return [fvp for fvp, intervals in self.intervals.items() if contains(intervals, time)]


def recognise(
    compiled: Compiled, history: History, run: RunBounds, goals: Iterable[Term] = (), faults: Faults | None = None
) -> ReferenceResult:
    """The result of an event description over a history. Start-up goals may change the background knowledge.

    Conditions without a result are not satisfied, and are noted in `faults`.
    """
    history = history if history.has_input_facts else _with_input_facts(compiled, history, run)
    database = background_database(compiled.description)
    database.add_clause(Struct("queryTime", (Int(run.end),)), None, None)
    engine = Engine(database, faults=Faults() if faults is None else faults)
    engine.start_up(goals)
    fill_dynamic_domains(compiled.description, compiled.names, history.terms(run), database)
    domains = Domains(
        compiled.description, engine, lambda: sorts_of(compiled.description, database, history.terms(run))
    )
    computed = ComputedHistory(run, domains, engine)
    for time, event in history.happenings(run):
        computed.events.setdefault(time, {})[event] = None
    by_points = {key for key, shapes in compiled.names.input_fluents.items() if "points" in shapes}
    for fvp, intervals in history.intervals(run, by_points).items():
        computed.finish(fvp, intervals)
    output: dict[Term, Intervals] = {}
    pending: list[tuple[tuple[str, int], int]] = []
    for component in _components(compiled):
        if component.vertices[0].kind == "static":
            found = _static(compiled, component, computed)
        else:
            stepping = _TimeStepping(compiled, component, computed)
            found = stepping.intervals()
            pending += stepping.pending.after(run.end)
        output.update(found)
        for fvp, intervals in found.items():
            computed.finish(fvp, intervals, is_simple=component.vertices[0].kind != "static")
    shown = _shown(compiled, _of_the_run(output, run)), _shown(compiled, _output_events(compiled, computed))
    return ReferenceResult(run, *shown, tuple(pending))


def _components(compiled: Compiled) -> list[Component]:
    """The components of the rules that the output needs."""
    components = [component for component in compiled.levels.components if not component.is_input]
    selection = compiled.selection
    return components if selection is None else [components[number] for number in sorted(selection.components)]


def _shown(compiled: Compiled, found: dict[Term, Found]) -> dict[Term, Found]:
    """The FVPs or events that are output."""
    selection = compiled.selection
    return found if selection is None else {term: each for term, each in found.items() if selection.includes(term)}


def _with_input_facts(compiled: Compiled, history: History, run: RunBounds) -> History:
    """The history with the input facts of the event description."""
    together = History(set(history.events), {fvp: set(reported) for fvp, reported in history.fluents.items()})
    for entity, value, start, end in input_fact_records(compiled.names, run.tick):
        if value is None:
            together.add_event(entity, start)
        else:
            together.add_interval(entity, value, start, end)
    return together


def _of_the_run(output: dict[Term, Intervals], run: RunBounds) -> dict[Term, Intervals]:
    """The intervals that do not end before the run, in standard order."""
    found = {fvp: tuple(i for i in intervals if i[1] > run.first_point) for fvp, intervals in output.items()}
    return {fvp: found[fvp] for fvp in sorted(found, key=standard_order_key) if found[fvp]}


def _output_events(compiled: Compiled, computed: ComputedHistory) -> dict[Term, tuple[int, ...]]:
    names = {name_and_arity(event) for event in compiled.names.output_events}
    times: dict[Term, list[int]] = {}
    for time in sorted(computed.events):
        for event in computed.events[time]:
            if name_and_arity(event) in names:
                times.setdefault(event, []).append(time)
    return {event: tuple(times[event]) for event in sorted(times, key=standard_order_key)}


def _static(compiled: Compiled, component: Component, computed: ComputedHistory) -> dict[Term, Intervals]:
    """The intervals of a statically determined fluent."""
    rules = [
        rule
        for rule in compiled.description.interval_rules
        if not rule.is_empty and any(may_match(rule.fvp.term, v.pattern) for v in component.vertices)
    ]
    return interval_rule_results(rules, computed.finished, computed.domains, computed.engine, computed.run)


class ComputedHistory:
    """The events at each time-point, and the intervals of the components that are finished."""

    def __init__(self, run: RunBounds, domains: Domains, engine: Engine) -> None:
        self.run = run
        self.domains = domains
        self.engine = engine
        self.events: dict[int, dict[Term, None]] = {}
        self.started: dict[int, dict[Term, None]] = {}
        self.ended: dict[int, dict[Term, None]] = {}
        self.begun: dict[int, dict[Term, None]] = {}
        self.over: dict[int, dict[Term, None]] = {}
        self.initiated: dict[int, dict[Term, None]] = {}
        self.terminated: dict[int, dict[Term, None]] = {}
        self.finished: dict[tuple[str, int], dict[Term, Intervals]] = {}

    def finish(self, fvp: Term, intervals: Intervals, *, is_simple: bool = False) -> None:
        """Record the intervals of an FVP, with the events at their edges.

        Edges of a simple fluent were recorded during time stepping, with the initiations and terminations.
        """
        assert isinstance(fvp, Struct)
        self.finished.setdefault(name_and_arity(fvp.args[0]), {})[fvp] = intervals
        if is_simple:
            return
        for start, end in intervals:
            self.note(self.started, previous_point(start, self.run.tick), fvp)
            self.note(self.begun, start, fvp)
            if end != INF:
                self.note(self.ended, previous_point(int(end), self.run.tick), fvp)
                self.note(self.over, int(end), fvp)

    def note(self, where: dict[int, dict[Term, None]], time: int, term: Term) -> None:
        """Record an occurrence, if the time-point belongs to the run."""
        if self.run.start <= time <= self.run.end:
            where.setdefault(time, {})[term] = None

    def times(self) -> set[int]:
        """The time-points at which anything happens."""
        return {
            *self.events,
            *self.started,
            *self.ended,
            *self.begun,
            *self.over,
            *self.initiated,
            *self.terminated,
        }


class _TimeStepping:
    """The time stepping of one component of events and simple fluents."""

    def __init__(self, compiled: Compiled, component: Component, computed: ComputedHistory) -> None:
        self.computed = computed
        self.vertices = component.vertices
        self.moments = [part for part in compiled.moments if part[0].vertex in set(component.vertices)]
        self.rules = {rule: self._conditions(rule) for rule in compiled.description.point_rules}
        self.open_terminations = [rule for rule in self.rules if self._has_open_arguments(rule)]
        self.in_derivation: set[Term] = set()
        self.pending = PendingEffects(compiled.description, computed.engine, computed.run.tick)
        self.current: dict[Term, tuple[Term, int]] = {}
        self.results: dict[Term, list[tuple[int, float]]] = {}
        self.time = computed.run.start
        self.agenda: list[int] = []
        self._begin(compiled)

    def _conditions(self, rule: PointRule) -> Conditions:
        return Conditions(rule.head_term, rule.time, rule.body, self.computed.engine)

    def _has_open_arguments(self, rule: PointRule) -> bool:
        """Whether a rule terminates instances outside every sort, because goals compute or test their arguments."""
        if rule.kind != "terminatedAt" or self.computed.domains.is_declared(rule.head_term):
            return False
        temporal = [c for c in rule.body if isinstance(c, Happens | Starts | Ends | Holds | Initiated | Terminated)]
        return not set(variables(rule.head_term)) <= {rule.time.name}.union(*map(condition_variables, temporal))

    def _begin(self, compiled: Compiled) -> None:
        """Start the initial values at the first time-point."""
        for initially in compiled.description.initially:
            if not self.concerns(initially.fvp.term):
                continue
            conditions = Conditions(initially.fvp.term, None, initially.body, self.computed.engine)
            for binding in conditions.solutions(self):
                for fvp in self.computed.domains.instances(substitute(initially.fvp.term, binding)):
                    if self.computed.domains.includes(fvp):
                        self._hold_initially(fvp)

    def _hold_initially(self, fvp: Term) -> None:
        assert isinstance(fvp, Struct)
        fluent, value = fvp.args
        other = self.current.get(fluent, (value, 0))[0]
        if other != value:
            message = f"`{show(fluent)}` has two initial values, `{show(other)}` and `{show(value)}`"
            raise ExecutionProblem(Diagnostic("HF607", message, fvp.span, "a fluent has at most one value at a time"))
        self.current[fluent] = (value, self.computed.run.first_point)

    def concerns(self, pattern: Term) -> bool:
        return any(may_match(vertex.pattern, pattern) for vertex in self.vertices)

    # -- time stepping -----------------------------------------------------------------------------------------------

    def intervals(self) -> dict[Term, Intervals]:
        """Step to the end of the run and return the intervals of the component's FVPs."""
        self.agenda = sorted(self.computed.times())
        while self.agenda or self.pending.next_due() is not None:
            following = self.pending.next_due()
            self.time = min(t for t in (self.agenda[0] if self.agenda else None, following) if t is not None)
            if self.time > self.computed.run.end:
                break
            while self.agenda and self.agenda[0] == self.time:
                heappop(self.agenda)
            self.step()
        for fluent, (value, since) in self.current.items():
            self.results.setdefault(Struct("=", (fluent, value)), []).append((since, INF))
        return {fvp: tuple(intervals) for fvp, intervals in self.results.items()}

    def step(self) -> None:
        """Evaluate one time-point: rules, due effects and pending effects first, then inertia."""
        for part in self.moments:
            for moment in part:
                self.derive(moment)
            self.derive_due_effects(part)
        started, ended = self.starting(_ANY_FVP), self.ending(_ANY_FVP)
        # Before inertia: what breaks a source may depend on the FVPs that hold at this time-point.
        self.pending.settle(self.time, self.is_broken)
        for fvp in self.own(self.initiated()):
            self.pending.set_up(fvp, self.time, is_broken=self.is_broken(fvp))
        for fvp in ended:
            self.end(fvp)
        for fvp in started:
            self.start(fvp)

    def own(self, fvps: Iterable[Term]) -> list[Term]:
        return [fvp for fvp in fvps if self.concerns(fvp)]

    def end(self, fvp: Term) -> None:
        assert isinstance(fvp, Struct)
        _, since = self.current.pop(fvp.args[0])
        following = next_point(self.time, self.computed.run.tick)
        self.results.setdefault(fvp, []).append((since, following))
        self.computed.note(self.computed.ended, self.time, fvp)
        self.schedule_edge(self.computed.over, following, fvp)

    def start(self, fvp: Term) -> None:
        assert isinstance(fvp, Struct)
        following = next_point(self.time, self.computed.run.tick)
        self.current[fvp.args[0]] = (fvp.args[1], following)
        self.computed.note(self.computed.started, self.time, fvp)
        self.schedule_edge(self.computed.begun, following, fvp)

    def schedule_edge(self, where: dict[int, dict[Term, None]], time: int, fvp: Term) -> None:
        """Record an edge of an interval at the next time-point, which is then evaluated too."""
        self.computed.note(where, time, fvp)
        heappush(self.agenda, time)

    # -- rules -------------------------------------------------------------------------------------------------------

    def heads(self, vertex: Vertex, kind: str) -> Iterator[Term]:
        """The heads that rules for a vertex derive at this time-point; variables may remain."""
        for rule, conditions in self.rules.items():
            if rule.kind == kind and may_match(rule.head_term, vertex.pattern):
                for binding in list(conditions.solutions(self)):
                    yield substitute(rule.head_term, binding)

    def derive_events(self, vertex: Vertex) -> None:
        for head in list(self.heads(vertex, "happensAt")):
            for event in self.computed.domains.head_instances(head):
                if may_match(vertex.pattern, event) and self.computed.domains.includes(event):
                    self.computed.note(self.computed.events, self.time, event)

    def derive(self, moment: Moment) -> None:
        """Record the effects that rules derive for one vertex."""
        match moment.what:
            case "happens":
                self.derive_events(moment.vertex)
            case "initiated":
                for head in list(self.heads(moment.vertex, "initiatedAt")):
                    for fvp in self.initiable(head, moment.vertex):
                        self.computed.note(self.computed.initiated, self.time, fvp)
            case "terminated":
                for head in list(self.heads(moment.vertex, "terminatedAt")):
                    self.computed.note(self.computed.terminated, self.time, head)

    def initiable(self, head: Term, vertex: Vertex) -> Iterator[Term]:
        """The FVPs of a vertex that a head denotes."""
        for fvp in self.computed.domains.head_instances(head):
            assert isinstance(fvp, Struct)
            if may_match(vertex.pattern, fvp) and self.computed.domains.includes_fluent(fvp.args[0]):
                yield fvp

    def derive_due_effects(self, part: tuple[Moment, ...]) -> None:
        """Record the delayed effects that are due now and whose conditions are satisfied."""
        contested: set[PostponableEffect] = set()
        for moment in part:
            if moment.what == "terminated":
                for effect, head in self.due_effects(moment.vertex, "terminatedAt"):
                    if not (effect.is_postponable and effect.source in self.initiated()):
                        self.computed.note(self.computed.terminated, self.time, head)
            elif moment.what == "initiated":
                for effect, head in self.due_effects(moment.vertex, "initiatedAt"):
                    for fvp in self.initiable(head, moment.vertex):
                        if effect.is_postponable:
                            contested.add((effect.source, fvp))
                        else:
                            self.computed.note(self.computed.initiated, self.time, fvp)
        for fvp in resolve_postponements(contested, self.initiated()):
            self.computed.note(self.computed.initiated, self.time, fvp)

    def due_effects(self, vertex: Vertex, kind: str) -> list[tuple[Pending, Term]]:
        """The delayed effects of one kind on a vertex that are due now, with the FVPs they initiate or terminate."""
        return [
            (effect, substitute(effect.effect, binding))
            for effect in self.pending.due(self.time, kind, vertex.pattern)
            for binding in list(effect.conditions.solutions(self, effect.binding))
        ]

    # -- the view of this time-point (the protocol `TimePointView` of the conditions) ----------------------------------

    def events(self) -> Iterable[Term]:
        return self.computed.events.get(self.time, {})

    def initiated(self) -> Iterable[Term]:
        return self.computed.initiated.get(self.time, {})

    def started(self, pattern: Term) -> Iterable[Term]:
        """The FVPs whose intervals start now: of finished components, and those of a pattern of this one."""
        return [*self.computed.started.get(self.time, {}), *self.starting(pattern)]

    def ended(self, pattern: Term) -> Iterable[Term]:
        """The FVPs whose intervals end now: of finished components, and those of a pattern of this one."""
        return [*self.computed.ended.get(self.time, {}), *self.ending(pattern)]

    def begun(self) -> Iterable[Term]:
        """The FVPs with an interval whose first time-point is this one."""
        return self.computed.begun.get(self.time, {})

    def over(self) -> Iterable[Term]:
        """The FVPs with an interval whose end is this time-point."""
        return self.computed.over.get(self.time, {})

    def starting(self, pattern: Term) -> list[Term]:
        """The FVPs of a pattern in this component that do not hold yet, are initiated and not broken."""
        fitting = (fvp for fvp in self.own(self.initiated()) if match(pattern, fvp, {}) is not None)
        candidates = [fvp for fvp in fitting if not self.holds(fvp)]
        return [fvp for fvp in candidates if not self.is_broken(fvp) and self.computed.domains.includes(fvp)]

    def ending(self, pattern: Term) -> list[Term]:
        """The FVPs of a pattern in this component that hold and are broken."""
        fitting = (fvp for fvp in self.current_fvps() if match(pattern, fvp, {}) is not None)
        return [fvp for fvp in fitting if self.is_broken(fvp)]

    def current_fvps(self) -> list[Term]:
        return [Struct("=", (fluent, value)) for fluent, (value, _) in self.current.items()]

    def holds(self, fvp: Term) -> bool:
        """Whether an FVP of this component holds now, or from the next time-point on."""
        assert isinstance(fvp, Struct)
        return fvp.args[0] in self.current and self.current[fvp.args[0]][0] == fvp.args[1]

    def holding(self, pattern: Term) -> Iterable[Term]:
        """The FVPs of a pattern that hold now."""
        assert isinstance(pattern, Struct)
        key = name_and_arity(pattern.args[0])
        for fvp, intervals in self.computed.finished.get(key, {}).items():
            if contains(intervals, self.time):
                yield fvp
        for fluent, (value, since) in self.current.items():
            if since <= self.time and name_and_arity(fluent) == key:
                yield Struct("=", (fluent, value))

    def is_holding(self, fvp: Term) -> bool:
        """Whether a ground FVP holds now."""
        assert isinstance(fvp, Struct)
        value, since = self.current.get(fvp.args[0], (None, 0))
        finished = self.computed.finished.get(name_and_arity(fvp.args[0]), {}).get(fvp, ())
        return (value == fvp.args[1] and since <= self.time) or contains(finished, self.time)

    def is_broken(self, fvp: Term) -> bool:
        """Whether a ground FVP is terminated now, or another value of its fluent is initiated."""
        assert isinstance(fvp, Struct)
        terminated = self.computed.terminated.get(self.time, {})
        if any(match(pattern, fvp, {}) is not None for pattern in terminated):
            return True
        if self.is_terminated_by_goals(fvp):
            return True
        initiated = (other for other in self.initiated() if isinstance(other, Struct))
        return any(other.args[0] == fvp.args[0] and other.args[1] != fvp.args[1] for other in initiated)

    def is_terminated_by_goals(self, fvp: Term) -> bool:
        """Whether a rule with goals on head variables terminates an FVP that holds now or is initiated.

        The question is not repeated while its answer is being derived: start events of other FVPs do not depend on it.
        """
        matches = [(rule, match(rule.head_term, fvp, {})) for rule in self.open_terminations]
        bindings = [(rule, binding) for rule, binding in matches if binding is not None]
        if not bindings or fvp in self.in_derivation or not (fvp in self.initiated() or self.is_holding(fvp)):
            return False
        self.in_derivation.add(fvp)
        found = any(next(self.rules[rule].solutions(self, binding), None) is not None for rule, binding in bindings)
        self.in_derivation.remove(fvp)
        return found

    def broken(self, pattern: Term) -> Iterable[Term]:
        """The FVPs of a pattern that are broken now; a value that is a variable ranges over the possible values."""
        assert isinstance(pattern, Struct)
        fluent, value = pattern.args
        candidates = [
            Struct("=", (affected, each))
            for affected in self.affected(fluent)
            for each in ([value] if is_ground(value) else self.possible_values(affected))
        ]
        return [fvp for fvp in candidates if match(pattern, fvp, {}) is not None and self.is_broken(fvp)]

    def affected(self, pattern: Term) -> Iterable[Term]:
        """The fluents of a pattern that are initiated or terminated now."""
        found = {fvp.args[0]: None for fvp in self.initiated() if isinstance(fvp, Struct)}
        for head in self.computed.terminated.get(self.time, {}):
            assert isinstance(head, Struct)
            found.update(dict.fromkeys(self.computed.domains.fluent_instances(head.args[0])))
        for fvp in self.holding(Struct("=", (pattern, Var("Value")))):
            if isinstance(fvp, Struct) and self.is_broken(fvp):
                found[fvp.args[0]] = None
        return [fluent for fluent in found if match(pattern, fluent, {}) is not None]

    def possible_values(self, fluent: Term) -> Iterable[Term]:
        """The possible values of a fluent, its current value, and the values of effects at this time-point."""
        pattern = Struct("=", (fluent, Var("Value")))
        heads = (*self.holding(pattern), *self.initiated(), *self.computed.terminated.get(self.time, {}))
        domains = self.computed.domains
        found = dict.fromkeys([*domains.instances(pattern), *domains.over_sorts(pattern)])
        for head in heads:
            assert isinstance(head, Struct)
            binding = match(head.args[0], fluent, {})
            if binding is not None:
                found[substitute(head, binding)] = None
        return dict.fromkeys(fvp.args[1] for fvp in found if isinstance(fvp, Struct) and is_ground(fvp))

    def ranging(self, head: Term, name: str, binding: Binding) -> Iterable[Binding]:
        """The bindings with values for a head variable that conditions need and do not bind."""
        return self.computed.domains.ranging(head, name, binding)
