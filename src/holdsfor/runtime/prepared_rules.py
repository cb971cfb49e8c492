"""Rules that are ready to run: the background knowledge, the plan, and the domains that the plan needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.goals import atemporal_goals, rule_goals
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.sorts import Sorts, sorts_of
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.recoding import Recoding
from holdsfor.columns.tables import Key
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.logical.rewrites import chosen_rewrites
from holdsfor.physical.deciding_levels import deciding_levels
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.plan import PhysicalProgram, plan_program
from holdsfor.physical.planner import Planner
from holdsfor.prolog.background import called_predicates, has_open_call
from holdsfor.runtime.background import Background
from holdsfor.runtime.causal_components import is_causal, read_fluents, reads_others
from holdsfor.runtime.domain_members import Members, Mentioned
from holdsfor.runtime.domains import Domains, OwnedInstances
from holdsfor.runtime.early_components import EarlyComponents, Name, early_components
from holdsfor.runtime.reports.shown_rows import ShownRows
from holdsfor.runtime.started_fluents import started_fluents
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import IntervalCall
from holdsfor.syntax.terms import Term, name_and_arity

__all__ = ["PreparedRules", "refuse_predicates_over_lists"]

_QUERY_TIME = ("queryTime", 1)


class PreparedRules:
    """An event description with everything that a session needs to run it; `goals` are proved first.

    `without` are the names of rewrites to switch off. With `components` only these are computed, and all their results
    are reported; otherwise those that the output of the rules needs. `shown` selects the rows that are reported.
    With `is_last`, no other process computes components from those of this one. `started_fluents` are the fluents whose
    starts matter; None if other processes may read the starts of all of them.
    """

    def __init__(
        self,
        compiled: Compiled,
        symbols: Symbols,
        goals: Iterable[Term] = (),
        *,
        without: Iterable[str] = (),
        components: Collection[int] | None = None,
        is_last: bool = False,
    ) -> None:
        self.compiled = compiled
        self.symbols = symbols
        self.goals = tuple(goals)
        self.background = Background(compiled.description, symbols, self.goals)
        self.rewrites = chosen_rewrites(without)
        self.components = components
        self._has_readers = components is not None and not is_last
        self._owned: OwnedInstances | None = None
        self._sorts: Sorts | None = None
        self._plan()

    def _plan(self) -> None:
        compiled = self.compiled
        planner = Planner(self.background, rewrites=self.rewrites)
        selection = compiled.selection if self.components is None else None
        chosen = self.components if selection is None else selection.components
        self.program = plan_program(compiled, planner, chosen)
        self.shown = None if selection is None else ShownRows(selection, self.symbols)
        self.domains = Domains(compiled.description, planner, self.sorts, self._owned)
        self.ranges_over_sorts = bool(self.program.ranged) or any(
            map(self.domains.ranges_over_sorts, self.program.enumerated)
        )
        sorts = self.sorts if self.ranges_over_sorts else None
        self.members = Members(compiled, self.background, self.symbols, sorts, self._kept_domains)
        self.uses_query_time = _uses_query_time(compiled, self.goals)
        self.point_fluents = {key for key, shapes in compiled.names.input_fluents.items() if "points" in shapes}
        self.numbered_events = self.program.numbered_events
        self.repeatable_events = self.program.repeatable_events
        self.asked_edges = self.program.edges
        self.deciding_levels = deciding_levels(self.program, compiled.graph)
        self.early = early_components(compiled, self.program)
        self._early_without: dict[frozenset[Name], EarlyComponents] = {}
        self.is_causal = not self.uses_query_time and all(map(is_causal, self.program.components))
        self.read_fluents = read_fluents(compiled, self.program)
        self.reads_others = reads_others(compiled, self.program)
        self.started_fluents = None if self._has_readers else started_fluents(self.program)
        self.output_events = {rule.key for component in self.program.components for rule in component.events}

    def early_without(self, names: frozenset[Name]) -> EarlyComponents:
        """The early components that do not depend on some input."""
        if names not in self._early_without:
            self._early_without[names] = early_components(self.compiled, self.program, names)
        return self._early_without[names]

    def plan_ahead(self) -> None:
        """Make the plans and columns of facts that a run otherwise makes when it first needs them.

        No window then waits for them. A run that does not need all of them takes longer.
        """
        self.domains.plan_ahead(self.program.enumerated)
        components = self.program.components
        rules = (operator for component in components for operator in component.point_operators)
        for operator in (*rules, *self.domains.operators):
            if isinstance(operator, JoinFacts):
                self.background.facts(operator.key)

    def reset(self) -> None:
        """Drop the members that input has added to domains and sorts, for another run with the same rules."""
        self.compute_only(None)
        self.members.lasting.clear()
        self.members.replace(Mentioned({}, {}))

    def compute_only(self, owned: OwnedInstances | None) -> None:
        """Compute the owned instances only, from the next evaluation on."""
        if owned is not self._owned:
            self._owned = owned
            self.domains.restrict_to(owned)

    def recode(self, recoding: Recoding) -> None:
        """Continue with the words of the rebuilt table of symbols. Operators and domains cache words."""
        lasting = {domain: recoding.all_words(columns) for domain, columns in self.members.lasting.items()}
        self.background.recode(recoding)
        self._owned = None if self._owned is None else self._owned.recoded()
        self._plan()
        self.members.lasting = lasting

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of the rules and goals, which takes as long as reading large tables of facts."""
        return fingerprint(self.compiled, self.goals)

    @property
    def _kept_domains(self) -> Collection[Key]:
        """The domains whose members are kept for ever: all of them if start-up goals may have added clauses."""
        return self.background.domains if self.goals else self.compiled.domain_uses.lasting

    @property
    def version(self) -> int:
        """Grows whenever a domain or a sort may have changed."""
        return self.background.version + self.members.version

    @property
    def answer_version(self) -> int:
        """Grows whenever domains and sorts change in a way that may change answers."""
        return self.version - self.members.n_without_effect

    def sorts(self) -> Sorts:
        if self._sorts is None:
            self._sorts = sorts_of(self.compiled.description, self.background.database)
            self._sorts.follow([*self.program.enumerated, *self.domains.open_entities, *self.program.ranged])
        return self._sorts


def _uses_query_time(compiled: Compiled, start_up: tuple[Term, ...]) -> bool:
    """Whether rules depend on the query time: whether a goal of a rule calls `queryTime/1`, perhaps through clauses.

    A goal that is only known when it is proved, or a clause that start-up goals may have added, may call any clause.
    """
    goals = [goal for goal, _ in atemporal_goals(compiled.description)]
    if start_up or any(map(has_open_call, goals)):
        return any(_QUERY_TIME in _called(goal) for goal in goals)
    bodies: dict[Key, list[Term]] = {}
    for clause in compiled.description.background:
        if isinstance(clause, Clause) and clause.body is not None:
            bodies.setdefault(name_and_arity(clause.head), []).append(clause.body)
    reached, waiting = set[Key](), [goal for goal, _ in rule_goals(compiled.description)]
    while waiting:
        fresh = _called(waiting.pop()) - reached
        reached |= fresh
        waiting += [body for key in fresh for body in bodies.get(key, ())]
    return _QUERY_TIME in reached


def _called(goal: Term) -> set[Key]:
    return {name_and_arity(call) for call in called_predicates(goal)}


def refuse_predicates_over_lists(program: PhysicalProgram) -> None:
    """Refuse predicates over whole lists in windows: the contents of a list depend on the window."""
    for planned in (rule for component in program.components for rule in component.interval_rules):
        for step in planned.rule.body:
            if isinstance(step, IntervalCall) and not step.is_intervalwise:
                message = f"`{show(step.goal)}` reads a whole list of intervals, which a window does not have"
                declaration = f":- intervalwise({show_indicator(*name_and_arity(step.goal))})."
                hint = f"leave out the window, or declare `{declaration}` if it maps intervals one by one"
                raise PlanningProblem(Diagnostic("HF402", message, step.span, hint))
