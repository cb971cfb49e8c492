"""The physical program of a session as text, with the counts of its profile if there is one."""

from __future__ import annotations

from holdsfor.columns.tables import Key
from holdsfor.errors import counted
from holdsfor.physical.explain import EvaluationStrategy, Explainer
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.plan import PlannedComponent
from holdsfor.physical.plan_text import PlanLine, laid_out
from holdsfor.physical.profile import Profile, Tally
from holdsfor.runtime.recursion.steppable import is_steppable
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.printer import show, show_indicator

__all__ = ["explain"]


def explain(session: EngineSession) -> str:
    """The plan of every component, then the groundings, then totals of the counts."""
    explainer = Explainer(Wording(lambda key: _size(session, key), {}))
    program = session.rules.program
    for number, (logical, planned) in enumerate(zip(program.logical.components, program.components, strict=True)):
        explainer.component(number, logical, planned, _strategy(planned, session))
        if session.profile is not None:
            explainer.lines += _rest(planned, explainer.lines, session.profile)
    _groundings(session, explainer)
    text = laid_out(explainer.lines, session.profile)
    return text if session.profile is None else text + _totals(session, session.profile)


def _size(session: EngineSession, key: Key) -> str:
    if key in session.rules.background.domains:
        return "members from the input"
    return counted(session.rules.background.facts(key).n, "fact")


def _strategy(component: PlannedComponent, session: EngineSession) -> EvaluationStrategy:
    if not component.is_recursive:
        return EvaluationStrategy()
    if component.is_only_delayed:
        return EvaluationStrategy("delays that no condition reads: a few iterations", "once", "each iteration")
    if is_steppable(component, session.symbols):
        return EvaluationStrategy("recursive: stepped through time", "once", "at each step")
    return EvaluationStrategy("recursive: fixpoint iteration", "once", "each iteration")


def _rest(component: PlannedComponent, lines: list[PlanLine], profile: Profile) -> list[PlanLine]:
    """The time of a component outside its operators, and the counts of a recursive component."""
    number = component.number
    begins = next(i for i, line in enumerate(lines) if line.place == ("component", number))
    shown = [profile.of(line.place) for line in lines[begins + 1 :] if line.depth == 2 and line.place is not None]
    rest = profile.of(("component", number)).seconds - sum(tally.seconds for tally in shown)
    found = [PlanLine(1, "", ("heads, checks of groundings, and overhead between operators",), Tally(seconds=rest))]
    if any(isinstance(operator, RelateIntervals) for rule in component.interval_rules for operator in rule.operators):
        kept = profile.of(("kept", number)).rows_out
        return [
            *found,
            PlanLine(1, "", (f"at most {counted(kept, 'interval')} kept between query times",)),
        ]
    if not component.is_recursive:
        return found
    iterations, stepped, set_up = (profile.of((what, number)).rows_out for what in ("iterations", "stepped", "set up"))
    counts = f"{iterations:,} iterations, {stepped:,} time-points stepped, {set_up:,} effects set up"
    return [*found, PlanLine(1, "", (counts,))]


def _groundings(session: EngineSession, explainer: Explainer) -> None:
    """The plans of the groundings: checks of instances, and enumerations."""
    if session.rules.domains.plans:
        explainer.heading(0, "groundings")
    for key, plans in session.rules.domains.plans.items():
        is_fvp, name, arity = key
        explainer.heading(1, f"{'fluent' if is_fvp else 'event'} {show_indicator(name, arity)}", ("grounding", key))
        for plan in plans:
            for given, steps in plan.planned:
                names = explainer.wording.names(given)
                what = f"given {names}" if given else "all of them"
                begin = explainer.line(2, [], Description("instances", show(plan.entity), what), None)
                explainer.follow(steps, begin, set(given))


def _totals(session: EngineSession, profile: Profile) -> str:
    components = sum(profile.of(("component", each.number)).seconds for each in session.rules.program.components)
    between = session.seconds - components
    return (
        f"\n{_query_times(session)}"
        f"total {session.seconds * 1000:,.2f} ms: "
        f"components {components * 1000:,.2f} ms, records and reports {between * 1000:,.2f} ms\n"
    )


def _query_times(session: EngineSession) -> str:
    """How many query times evaluated the whole window, and how many only what changed."""
    if session.n_whole + session.n_resumed < 2:
        return ""
    over = f", {session.n_over_memory} of them for lack of memory" if session.n_over_memory else ""
    return (
        f"evaluations of the whole window: {session.n_whole:,}{over}; of what changed: {session.n_resumed:,}, "
        f"with {session.kept_bytes:,} bytes kept of at most {session.incremental_memory:,}\n"
    )
