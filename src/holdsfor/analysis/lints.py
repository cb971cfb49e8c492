"""Lints: warnings about valid rules that are probably a mistake. No lint changes the meaning of rules."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.analysis.allen_lints import allen_relations
from holdsfor.analysis.dependencies import breaks_its_source
from holdsfor.analysis.draft import Draft
from holdsfor.analysis.goals import atemporal_goals
from holdsfor.analysis.names import Names, event_uses, fvp_uses
from holdsfor.analysis.patterns import anonymous, may_match
from holdsfor.errors import ExecutionProblem, did_you_mean
from holdsfor.prolog import Database, Engine
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.conditions import TEMPORAL
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import EDGE_NAMES, Delay, Fvp, Grounding
from holdsfor.syntax.terms import Int, Struct, Term, Var, is_callable, is_ground, name_and_arity, substitute, variables

__all__ = ["LINTS"]

_GROUNDING_STEPS = 200_000


# -- names -------------------------------------------------------------------------------------------------------------


def unknown_fluents(draft: Draft) -> None:
    """Fluents, and values of fluents, that are used but neither defined nor declared as input."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    declared = {name_and_arity(g.entity.fluent) for g in description.groundings if isinstance(g.entity, Fvp)}
    reported: set[Term] = set()
    for span, fvp in fvp_uses(description):
        pattern = anonymous(fvp.term)
        if names.definitions(fvp.term) or pattern in reported:
            continue
        reported.add(pattern)
        key = name_and_arity(fvp.fluent)
        known = [p for p in (*names.simple, *names.static) if _key(p) == key]
        if known:
            values = sorted({show(p.args[1]) for p in known if isinstance(p, Struct)})
            hint = did_you_mean(show(fvp.value), values) or f"its values are {', '.join(f'`{v}`' for v in values)}"
            message = f"`{show(pattern)}` is used, but no rule gives `{key[0]}/{key[1]}` that value"
            diagnostics.add("HF301", message, span, hint)
        elif key not in declared:
            others = [_key(p)[0] for p in (*names.simple, *names.static, *(p for p, _ in names.declared_inputs))]
            hint = did_you_mean(key[0], others) or _declare(pattern)
            diagnostics.add("HF301", f"the fluent `{key[0]}/{key[1]}` is used, but never defined", span, hint)


def _declare(pattern: Term) -> str:
    return f"if the fluent is input, declare it: `collectIntervals({show(pattern)}).` or `points({show(pattern)}).`"


def _key(pattern: Term) -> tuple[str, int]:
    assert isinstance(pattern, Struct)
    return name_and_arity(pattern.args[0])


def unknown_events(draft: Draft) -> None:
    """Events that look like a misspelling of an event that is defined or has a grounding."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    grounded = {name_and_arity(g.entity) for g in description.groundings if not isinstance(g.entity, Fvp)}
    known = grounded | {name_and_arity(e) for e in names.output_events}
    reported: set[tuple[str, int]] = set()
    for event, span in event_uses(description):
        key = name_and_arity(event)
        if key in known or key in reported or not known:
            continue
        reported.add(key)
        arities = [arity for name, arity in known if name == key[0]]
        if arities:
            hint: str | None = f"the known event has {arities[0]} argument{'s' if arities[0] != 1 else ''}"
        else:
            hint = did_you_mean(key[0], [name for name, _ in known])
        if hint:
            message = f"the event `{key[0]}/{key[1]}` is used, but never defined nor given a grounding"
            diagnostics.add("HF302", message, span, hint)


def edges_without_values(draft: Draft) -> None:
    """Events such as `start(happy(X))`, which name a fluent without its value."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    for event, span in event_uses(description):
        if not isinstance(event, Struct) or event.name not in EDGE_NAMES.values() or len(event.args) != 1:
            continue
        fluent = event.args[0]
        if is_callable(fluent) and name_and_arity(fluent) in names.fluents:
            hint = f"write `{event.name}({show(fluent)}=…)` with a value of the fluent"
            diagnostics.add("HF302", f"`{show(event)}` does not match the fluent: the value is missing", span, hint)


def unknown_predicates(draft: Draft) -> None:
    """Predicates that are called but never defined."""
    description, database, diagnostics = draft.description, draft.database, draft.diagnostics
    domains = {name_and_arity(d) for d in description.dynamic_domains}
    domains |= {name_and_arity(c.domain) for c in description.collected}
    reported: set[tuple[str, int]] = set()
    for goal, span in atemporal_goals(description):
        for called in called_predicates(goal):
            key = name_and_arity(called)
            if key in domains or key in reported or database.defines(*key) or key == ("queryTime", 1):
                continue
            reported.add(key)
            hint = did_you_mean(key[0], [name for name, _ in (*database.predicates(), *domains)])
            message = f"the predicate `{key[0]}/{key[1]}` is called, but never defined"
            diagnostics.add(
                "HF310", message, called.span or span, hint or "is a file with background knowledge missing?"
            )


# -- rules -------------------------------------------------------------------------------------------------------------


def unused_output(draft: Draft) -> None:
    """Output that no rule uses and that has no grounding, while other output has one."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    if not description.groundings:
        return
    fvps = [g.entity for g in description.groundings if isinstance(g.entity, Fvp)]
    events = [g.entity for g in description.groundings if not isinstance(g.entity, Fvp)]
    grounded_fluents: list[Term] = [Struct("=", (fvp.fluent, Var("_"))) for fvp in fvps]
    heads = [(r.event, events, names.used_events) for r in description.point_rules if r.kind == "happensAt"]
    heads += [(r.fvp.term, grounded_fluents, names.used_fvps) for r in description.point_rules if r.kind != "happensAt"]
    heads += [(r.fvp.term, grounded_fluents, names.used_fvps) for r in description.interval_rules]
    reported: set[Term] = set()
    for head, grounded, used in heads:
        if any(may_match(head, p) for p in (*grounded, *used)) or anonymous(head) in reported:
            continue
        reported.add(anonymous(head))
        hint = f"add a grounding: `grounding({show(head)}) :- ….`"
        diagnostics.add(
            "HF303", f"`{show(anonymous(head))}` is defined, but not used and without a grounding", head.span, hint
        )


def idle_delays(draft: Draft) -> None:
    """Delays that never take effect because a shorter delay breaks the same FVP, and delays that are due together."""
    description, diagnostics = draft.description, draft.diagnostics
    plain = [(d, d.delay.value) for d in description.delays if isinstance(d.delay, Int) and not d.body]
    for i, (delay, length) in enumerate(plain):
        for j, (other, others) in enumerate(plain):
            if i == j or anonymous(other.source.term) != anonymous(delay.source.term):
                continue
            if others < length and breaks_its_source(other):
                message = f"the delay of {length} has no effect: another delay breaks `{delay.source}` after {others}"
                diagnostics.add("HF311", message, delay.span, "remove it, or give the shorter delay a condition")
                break
            if others == length and j < i and _effect(other) != _effect(delay):
                message = f"two delays of `{delay.source}` are due at the same time, after {length}"
                hint = (
                    "of two values initiated at the same time-point neither holds; change one delay, or add a condition"
                )
                diagnostics.add("HF311", message, delay.span, hint)
                break


def _effect(delay: Delay) -> Term | None:
    return None if delay.target is None else anonymous(delay.target.term)


def one_sided_fluents(draft: Draft) -> None:
    """Simple FVPs that are initiated and never broken, or terminated and never initiated."""
    description, diagnostics = draft.description, draft.diagnostics
    initiated = [r.fvp for r in description.point_rules if r.kind == "initiatedAt"]
    initiated += [d.target for d in description.delays if d.target is not None]
    started = initiated + [i.fvp for i in description.initially]
    terminated = [r.fvp for r in description.point_rules if r.kind == "terminatedAt"]
    delayed = [d.source for d in description.delays]
    reported: set[Term] = set()
    for fvp in initiated:
        broken = any(may_match(fvp.term, t.term) for t in (*terminated, *delayed)) or any(
            may_match(fvp.fluent, other.fluent) and (fvp.value != other.value or not is_ground(fvp.value))
            for other in initiated
        )
        if not broken and anonymous(fvp.term) not in reported:
            reported.add(anonymous(fvp.term))
            message = f"`{show(anonymous(fvp.term))}` is initiated, but never terminated"
            diagnostics.add("HF304", message, fvp.span, "its intervals never end")
    for fvp in terminated:
        if not any(may_match(fvp.term, s.term) for s in started) and anonymous(fvp.term) not in reported:
            reported.add(anonymous(fvp.term))
            values = sorted({show(s.value) for s in started if may_match(s.fluent, fvp.fluent)})
            hint = did_you_mean(show(fvp.value), values)
            if hint is None and values:
                hint = f"its initiated values are {', '.join(f'`{v}`' for v in values)}"
            message = f"`{show(anonymous(fvp.term))}` is terminated, but never initiated"
            diagnostics.add("HF305", message, fvp.span, hint or "it never holds")


def duplicate_clauses(draft: Draft) -> None:
    """Clauses that repeat an earlier clause."""
    clauses, diagnostics = draft.clauses, draft.diagnostics
    seen: dict[tuple[Term, Term | None], Clause] = {}
    for clause in clauses:
        key = _canonical(clause)
        if key in seen:
            first = seen[key].span
            where = f"in line {first.line} of `{first.source.name}`" if first else "before"
            diagnostics.add("HF306", f"this clause repeats the one {where}", clause.span, "remove one of them")
        else:
            seen[key] = clause


def _canonical(clause: Clause) -> tuple[Term, Term | None]:
    """The clause with its variables numbered in order."""
    terms = [clause.head] if clause.body is None else [clause.head, clause.body]
    numbered: dict[str, Term] = {name: Var(f"V{i}") for i, name in enumerate(variables(*terms))}
    renamed = [substitute(term, numbered) for term in terms]
    return renamed[0], renamed[1] if clause.body is not None else None


# -- groundings --------------------------------------------------------------------------------------------------------


def idle_groundings(draft: Draft) -> None:
    """Groundings of unknown entities, and groundings without a single instance."""
    description, names, database, diagnostics = draft.description, draft.names, draft.database, draft.diagnostics
    domains = {name_and_arity(d) for d in description.dynamic_domains}
    domains |= {name_and_arity(c.domain) for c in description.collected}
    for grounding in description.groundings:
        if not _is_known(grounding, names):
            entity = grounding.entity.fluent if isinstance(grounding.entity, Fvp) else grounding.entity
            name, arity = name_and_arity(entity)
            hint = did_you_mean(name, [n for n, _ in (*names.events, *names.fluents)])
            message = f"no rule defines or uses `{name}/{arity}`, the entity of the grounding"
            diagnostics.add("HF309", message, grounding.span, hint)
        elif not _can_hold(grounding, database, domains):
            entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
            message = f"the grounding of `{show(entity)}` is empty: its conditions have no answer"
            diagnostics.add("HF307", message, grounding.span, "is a file with background knowledge missing?")


def _is_known(grounding: Grounding, names: Names) -> bool:
    """Whether rules mention the entity. Groundings of unused input are common and harmless."""
    entity = grounding.entity
    known = names.fluents if isinstance(entity, Fvp) else names.events
    key = name_and_arity(entity.fluent if isinstance(entity, Fvp) else entity)
    return key in known or did_you_mean(key[0], [name for name, _ in known]) is None


def _can_hold(grounding: Grounding, database: Database, domains: set[tuple[str, int]]) -> bool:
    """Whether the conditions may have an answer, before any data is read."""
    called = [name_and_arity(c) for goal in grounding.goals for c in called_predicates(goal)]
    if any(key in domains or not database.defines(*key) for key in called):
        return True
    goal = _conjunction(grounding.goals)
    try:
        return goal is None or Engine(database, max_steps=_GROUNDING_STEPS).holds(goal)
    except ExecutionProblem:
        return True


def _conjunction(goals: tuple[Term, ...]) -> Term | None:
    result: Term | None = None
    for goal in reversed(goals):
        result = goal if result is None else Struct(",", (goal, result))
    return result


# -- variables ---------------------------------------------------------------------------------------------------------


def _due_time(clause: Clause) -> str | None:
    """The variable for the due time of a delayed effect, which may occur only once."""
    if name_and_arity(clause.head) not in (("fi", 3), ("ft", 2)) or clause.body is None:
        return None
    stack: list[Term] = [clause.body]
    while stack:
        goal = stack.pop()
        if isinstance(goal, Struct):
            if name_and_arity(goal) in TEMPORAL and isinstance(goal.args[-1], Var):
                return goal.args[-1].name
            stack.extend(reversed(goal.args))
    return None


def singletons(draft: Draft) -> None:
    """Variables that occur only once in a clause."""
    clauses, diagnostics = draft.clauses, draft.diagnostics
    for clause in clauses:
        counts: dict[str, list[Var]] = {}
        stack = [clause.head] if clause.body is None else [clause.body, clause.head]
        while stack:
            term = stack.pop()
            if isinstance(term, Var):
                counts.setdefault(term.name, []).append(term)
            elif isinstance(term, Struct):
                stack.extend(reversed(term.args))
        due_time = _due_time(clause)
        for name, places in counts.items():
            if len(places) == 1 and not name.startswith("_") and name != due_time:
                hint = f"write `_{name}` if this is intended, or check the spelling"
                diagnostics.add("HF308", f"the variable `{name}` occurs only once", places[0].span, hint)


LINTS: tuple[Callable[[Draft], None], ...] = (
    unknown_fluents,
    unknown_events,
    edges_without_values,
    unknown_predicates,
    unused_output,
    one_sided_fluents,
    idle_delays,
    allen_relations,
    duplicate_clauses,
    idle_groundings,
    singletons,
)
"""The lints, each with the name that switches it off."""
