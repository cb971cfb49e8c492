"""Rules that are ready to run: the background knowledge, the plan, and the domains that the plan needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from holdsfor.analysis.goals import atemporal_goals
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.sorts import Sorts, sorts_of
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.recoding import Recoding
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.logical.rewrites import chosen_rewrites
from holdsfor.physical.plan import plan_program
from holdsfor.physical.planner import Planner
from holdsfor.prolog.background import called_predicates
from holdsfor.runtime.background import Background
from holdsfor.runtime.domain_members import Members
from holdsfor.runtime.domains import Domains
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.rules import IntervalCall
from holdsfor.syntax.terms import Term, name_and_arity

__all__ = ["PreparedRules", "refuse_predicates_over_lists"]


class PreparedRules:
    """An event description with everything that a session needs to run it; `goals` are proved first.

    `without` are the names of rewrites to switch off. With `components` only these are computed.
    """

    def __init__(
        self,
        compiled: Compiled,
        symbols: Symbols,
        goals: Iterable[Term] = (),
        *,
        without: Iterable[str] = (),
        components: Collection[int] | None = None,
    ) -> None:
        self.compiled = compiled
        self.symbols = symbols
        self.goals = tuple(goals)
        self.background = Background(compiled.description, symbols, self.goals)
        self.rewrites = chosen_rewrites(without)
        self.components = components
        self._sorts: Sorts | None = None
        self._plan()

    def _plan(self) -> None:
        compiled = self.compiled
        planner = Planner(self.background, rewrites=self.rewrites)
        self.program = plan_program(compiled, planner).part(self.components)
        self.domains = Domains(compiled.description, planner, self.sorts)
        self.ranges_over_sorts = bool(self.program.ranged) or any(
            map(self.domains.ranges_over_sorts, self.program.enumerated)
        )
        sorts = self.sorts if self.ranges_over_sorts else None
        self.members = Members(compiled, self.background, self.symbols, sorts)
        self.uses_query_time = _uses_query_time(compiled)
        self.point_fluents = {key for key, shapes in compiled.names.input_fluents.items() if "points" in shapes}
        self.numbered_events = self.program.numbered_events
        self.asked_edges = self.program.edges
        self.deciding = self.program.deciding_steps
        self.output_events = {rule.key for component in self.program.components for rule in component.events}

    def recode(self, recoding: Recoding) -> None:
        """Continue with the words of the rebuilt table of symbols. Operators and domains cache words."""
        lasting = {domain: recoding.all_words(columns) for domain, columns in self.members.lasting.items()}
        self.background.recode(recoding)
        self._plan()
        self.members.lasting = lasting

    @property
    def version(self) -> int:
        """Grows whenever a domain or a sort may have changed."""
        return self.background.version + self.members.version

    def sorts(self) -> Sorts:
        if self._sorts is None:
            self._sorts = sorts_of(self.compiled.description, self.background.database)
            self._sorts.follow([*self.program.enumerated, *self.domains.open_entities, *self.program.ranged])
        return self._sorts


def _uses_query_time(compiled: Compiled) -> bool:
    """Whether rules depend on the query time."""
    goals = (goal for goal, _ in atemporal_goals(compiled.description))
    return any(name_and_arity(call) == ("queryTime", 1) for goal in goals for call in called_predicates(goal))


def refuse_predicates_over_lists(compiled: Compiled) -> None:
    """Refuse predicates over whole lists in windows: the contents of a list depend on the window."""
    for rule in compiled.description.interval_rules:
        for step in rule.body:
            if isinstance(step, IntervalCall) and not step.is_intervalwise:
                message = f"`{show(step.goal)}` reads a whole list of intervals, which a window does not have"
                declaration = f":- intervalwise({show_indicator(*name_and_arity(step.goal))})."
                hint = f"leave out the window, or declare `{declaration}` if it maps intervals one by one"
                raise PlanningProblem(Diagnostic("HF402", message, step.span, hint))
