"""Rules have no side effects: no goal that a rule can reach may change the background knowledge.

Start-up goals may change it, so a clause that changes the background knowledge is accepted if no rule calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.analysis.goals import rule_goals
from holdsfor.errors import Diagnostics
from holdsfor.prolog.background import grounding_clauses, inner_calls
from holdsfor.prolog.builtins.changes import CHANGES, NO_CHANGES
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Term, name_and_arity

__all__ = ["check_side_effects"]

Key = tuple[str, int]


def check_side_effects(description: EventDescription, diagnostics: Diagnostics) -> None:
    """Report goals of rules that reach `assertz/1`, `retract/1` or similar predicates."""
    calls = _calls(description)
    for goal, span in rule_goals(description):
        path = _path_to_change(goal, calls)
        if path:
            *through, change = [show_indicator(*key) for key in path]
            way = f" through {', '.join(f'`{each}`' for each in through)}" if through else ""
            message = f"a rule cannot change the background knowledge, and reaches `{change}`{way}"
            diagnostics.add("HF228", message, span, NO_CHANGES)


def _calls(description: EventDescription) -> dict[Key, list[Key]]:
    """The predicates that the clauses of each predicate call."""
    found: dict[Key, list[Key]] = {}
    clauses = [item for item in description.background if isinstance(item, Clause)]
    for clause in (*clauses, *grounding_clauses(description)):
        if clause.body is not None:
            found.setdefault(name_and_arity(clause.head), []).extend(_keys([clause.body]))
    return found


def _keys(goals: Iterable[Term]) -> Iterator[Key]:
    return (name_and_arity(call) for goal in goals for call in inner_calls(goal))


def _path_to_change(goal: Term, calls: dict[Key, list[Key]]) -> list[Key]:
    """The calls that lead from a goal to a change, the change last; empty if the goal reaches no change."""
    paths = [[key] for key in _keys([goal])]
    seen = {path[-1] for path in paths}
    while paths:
        path = paths.pop(0)
        if path[-1] in CHANGES and path[-1] not in calls:
            return path
        following = [key for key in calls.get(path[-1], []) if key not in seen]
        seen.update(following)
        paths += [[*path, key] for key in following]
    return []
