"""Lints: warnings about valid rules that are probably a mistake. No lint changes the meaning of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from holdsfor.analysis.allen_lints import allen_relations
from holdsfor.analysis.comparison_lints import compared_numbers, unknown_functions
from holdsfor.analysis.cross_products import cross_products
from holdsfor.analysis.dependencies import breaks_its_source
from holdsfor.analysis.draft import Draft
from holdsfor.analysis.event_lints import edges_without_values, similar_events, unknown_events
from holdsfor.analysis.goals import atemporal_goals
from holdsfor.analysis.names import Names, domain_entities, fvp_uses, is_fvp_term
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.patterns import anonymous
from holdsfor.analysis.sorts import sorts_of
from holdsfor.errors import Diagnostics, ExecutionProblem, did_you_mean
from holdsfor.prolog import Database, Engine, builtin_keys
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.conditions import TEMPORAL
from holdsfor.syntax.interval_steps import INTERVAL_CONSTRUCTS
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import Delay, Fvp, Grounding
from holdsfor.syntax.terms import Int, Struct, Term, Var, is_ground, name_and_arity, substitute, variables

__all__ = ["LINTS"]

_GROUNDING_STEPS = 200_000


# -- names -------------------------------------------------------------------------------------------------------------


def unknown_fluents(draft: Draft) -> None:
    """Fluents, and values of fluents, that are used but neither defined nor declared as input."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    declared = {name_and_arity(g.entity.fluent) for g in description.groundings if isinstance(g.entity, Fvp)}
    reported: set[Term] = set()
    for span, fvp in fvp_uses(description):
        pattern, key = anonymous(fvp.term), name_and_arity(fvp.fluent)
        if names.is_known(fvp.term) or pattern in reported or key in draft.provided:
            continue
        reported.add(pattern)
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
            message = f"the predicate `{key[0]}/{key[1]}` is called, but never defined"
            hint = _near_predicate(key, {*database.predicates(), *domains})
            diagnostics.add("HF310", message, called.span or span, hint)


def _near_predicate(key: tuple[str, int], defined: set[tuple[str, int]]) -> str:
    """The predicate or construct that a call may mean."""
    known = {*defined, *TEMPORAL, *INTERVAL_CONSTRUCTS, *builtin_keys()}
    arities = sorted(arity for name, arity in known if name == key[0])
    if arities:
        return f"`{key[0]}` has {' or '.join(map(str, arities))} argument{'' if arities == [1] else 's'}"
    same = did_you_mean(key[0], [name for name, _ in defined]) or did_you_mean(key[0], [name for name, _ in known])
    return same or "is a file with background knowledge missing?"


# -- rules -------------------------------------------------------------------------------------------------------------


def unused_output(draft: Draft) -> None:
    """Output that no rule uses, no directive selects, and that has no grounding, while other output has one."""
    description, names, diagnostics = draft.description, draft.names, draft.diagnostics
    if not description.groundings:
        return
    fvps = [g.entity for g in description.groundings if isinstance(g.entity, Fvp)]
    events = [g.entity for g in description.groundings if not isinstance(g.entity, Fvp)]
    grounded_fluents: list[Term] = [_any_value(fvp) for fvp in fvps]
    shown = () if draft.selection is None else draft.selection.patterns
    used = (*events, *names.used_events, *grounded_fluents, *names.used_fvps, *shown)
    known = PatternIndex((p, None) for p in used)
    heads = [r.event for r in description.point_rules if r.kind == "happensAt"]
    heads += [r.fvp.term for r in description.point_rules if r.kind != "happensAt"]
    heads += [r.fvp.term for r in description.interval_rules]
    reported: set[Term] = set()
    for head in heads:
        if known.has(head) or anonymous(head) in reported:
            continue
        reported.add(anonymous(head))
        hint = f"add a grounding: `grounding({show(head)}) :- ….`"
        diagnostics.add(
            "HF303", f"`{show(anonymous(head))}` is defined, but not used and without a grounding", head.span, hint
        )


def idle_delays(draft: Draft) -> None:
    """Delays that never take effect because a shorter delay breaks the same FVP, and delays that are due together."""
    plain = [(d, d.delay.value) for d in draft.description.delays if isinstance(d.delay, Int) and not d.body]
    by_source: dict[Term, list[tuple[int, Delay, int]]] = {}
    for i, (delay, length) in enumerate(plain):
        by_source.setdefault(anonymous(delay.source.term), []).append((i, delay, length))
    for i, (delay, length) in enumerate(plain):
        _suspect_delay(i, delay, length, by_source[anonymous(delay.source.term)], draft.diagnostics)


def _suspect_delay(
    i: int, delay: Delay, length: int, siblings: list[tuple[int, Delay, int]], diagnostics: Diagnostics
) -> None:
    """Report a delay if another one of the same source makes it idle."""
    for j, other, others in siblings:
        if others < length and breaks_its_source(other):
            message = f"the delay of {length} has no effect: another delay breaks `{delay.source}` after {others}"
            diagnostics.add("HF311", message, delay.span, "remove it, or give the shorter delay a condition")
            return
        if others == length and j < i and _effect(other) != _effect(delay):
            message = f"two delays of `{delay.source}` are due at the same time, after {length}"
            hint = "of two values initiated at the same time-point neither holds; change one delay, or add a condition"
            diagnostics.add("HF311", message, delay.span, hint)
            return


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
    breaks = PatternIndex((fvp.term, None) for fvp in (*terminated, *delayed))
    values_of = PatternIndex((fvp.term, fvp.value) for fvp in _distinct(initiated))
    has_values = Counter(anonymous(fvp.fluent) for fvp in _distinct(initiated))
    starts = PatternIndex((fvp.term, fvp.value) for fvp in _distinct(started))
    reported: set[Term] = set()
    for fvp in initiated:
        broken = not is_ground(fvp.value) or breaks.has(fvp.term) or has_values[anonymous(fvp.fluent)] > 1
        broken = broken or any(fvp.value != other for other in values_of.matching(_any_value(fvp)))
        if not broken and anonymous(fvp.term) not in reported:
            reported.add(anonymous(fvp.term))
            message = f"`{show(anonymous(fvp.term))}` is initiated, but never terminated"
            diagnostics.add("HF304", message, fvp.span, "its intervals never end")
    for fvp in terminated:
        if not starts.has(fvp.term) and anonymous(fvp.term) not in reported:
            reported.add(anonymous(fvp.term))
            values = sorted({show(value) for value in starts.matching(_any_value(fvp))})
            hint = did_you_mean(show(fvp.value), values)
            if hint is None and values:
                hint = f"its initiated values are {', '.join(f'`{v}`' for v in values)}"
            message = f"`{show(anonymous(fvp.term))}` is terminated, but never initiated"
            diagnostics.add("HF305", message, fvp.span, hint or "it never holds")


def _distinct(fvps: Iterable[Fvp]) -> list[Fvp]:
    """The FVPs that differ in more than the names of variables."""
    return list({anonymous(fvp.term): fvp for fvp in fvps}.values())


def _any_value(fvp: Fvp) -> Term:
    return Struct("=", (fvp.fluent, Var("_")))


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


def unfilled_domains(draft: Draft) -> None:
    """Dynamic domains that no input fills: they have no members, so no event or fluent is grounded in them."""
    description, names = draft.description, draft.names
    computed = {name_and_arity(event) for event in names.output_events}
    for domain in description.dynamic_domains:
        key = name_and_arity(domain)
        entities = [entity for entity, of in domain_entities(description) if name_and_arity(of) == key]
        is_filled = any(
            not names.is_defined(each) if is_fvp_term(each) else name_and_arity(each) not in computed
            for each in entities
        )
        if not is_filled and not draft.database.defines(*key):
            missing = _missing_grounding(draft, key)
            hint = "a domain is filled by input that has a grounding of its own" + (f": `{missing}`" if missing else "")
            message = (
                f"nothing fills the dynamic domain `{key[0]}/{key[1]}`: no input event or fluent has it as grounding"
            )
            draft.diagnostics.add("HF316", message, domain.span, hint)


def _missing_grounding(draft: Draft, domain: tuple[str, int]) -> str | None:
    """A grounding that would fill a domain: of an input event with arguments that rules connect with its members."""
    sorts = sorts_of(draft.description, Database())
    members = {sorts.root((*domain, i)): f"X{i + 1}" for i in range(domain[1])}
    for record in draft.names.records:
        if record.shape == "event":
            found = [members.get(sorts.root((record.name, record.arity, i)), "_") for i in range(record.arity)]
            if set(members.values()) <= set(found):
                return f"grounding({record.name}({', '.join(found)})) :- {domain[0]}({', '.join(members.values())})."
    return None


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


_DECLARATIONS = {
    ("p", 1),
    ("ft", 2),
    ("initially", 1),
    ("collectIntervals", 1),
    ("buildFromPoints", 1),
    ("points", 1),
    ("dynamicDomain", 1),
}
"""Declarations about all instances of one entity: a variable in `p(comm(V)=on).` names an argument."""


def singletons(draft: Draft) -> None:
    """Variables that occur only once in a clause."""
    clauses, diagnostics = draft.clauses, draft.diagnostics
    for clause in clauses:
        if clause.body is None and name_and_arity(clause.head) in _DECLARATIONS:
            continue
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
                text = f", `'{name}'` for the text {name}" if name[1:] else ""
                hint = f"write `_{name}` if this is intended{text}, or check the spelling"
                diagnostics.add("HF308", f"the variable `{name}` occurs only once", places[0].span, hint)


LINTS: tuple[Callable[[Draft], None], ...] = (
    unknown_fluents,
    unknown_events,
    similar_events,
    edges_without_values,
    unknown_predicates,
    unused_output,
    one_sided_fluents,
    idle_delays,
    allen_relations,
    compared_numbers,
    unknown_functions,
    cross_products,
    duplicate_clauses,
    idle_groundings,
    unfilled_domains,
    singletons,
)
"""The lints, each with the name that switches it off."""
