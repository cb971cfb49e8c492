"""Problems of goals, without and with the goal that caused them.

A built-in raises a `GoalProblem` with a code and a message; the machine turns it into an `ExecutionProblem` that also
names the goal and its position.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.errors import Diagnostic, ExecutionProblem, did_you_mean
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, is_larger

__all__ = ["RESULTLESS", "GoalProblem", "located", "needs_bound", "not_a", "shown", "undefined"]

RESULTLESS = frozenset(["HF603", "HF604"])
"""The codes of problems that depend on the values of a goal: it has no result for them, and may have one for others."""

_WIDEST_GOAL = 200
_LARGEST_GOAL = 100_000


class GoalProblem(Exception):
    """A goal cannot be proved: `message` is the message without the goal."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


def needs_bound(what: str = "an argument") -> GoalProblem:
    """The problem of a variable where a value is needed."""
    return GoalProblem("HF602", f"{what} is not bound", "bind it in an earlier goal")


def not_a(kind: str, found: Term) -> GoalProblem:
    """The problem of a term of the wrong kind; an unbound variable has its own message.

    >>> from holdsfor.syntax.terms import Atom
    >>> not_a("a list", Atom("oops")).message
    'expected a list, found `oops`'
    """
    if isinstance(found, Var):
        return needs_bound(kind)
    return GoalProblem("HF603", f"expected {kind}, found `{shown(found)}`")


def undefined(name: str, arity: int, known: Iterable[tuple[str, int]]) -> GoalProblem:
    """The problem of a call to a predicate that does not exist, with the most similar known predicate as hint.

    >>> undefined("persn", 1, [("person", 1)]).hint
    'did you mean `person/1`?'
    """
    predicates = sorted(known)
    message = f"undefined predicate `{name}/{arity}`"
    arities = [str(n) for other, n in predicates if other == name]
    if arities:
        plural = "argument" if arities == ["1"] else "arguments"
        return GoalProblem("HF601", message, f"`{name}` exists with {' or '.join(arities)} {plural}")
    hint = did_you_mean(name, [other for other, n in predicates if n == arity])
    if hint:
        return GoalProblem("HF601", message, hint.replace("`?", f"/{arity}`?"))
    hint = did_you_mean(name, [other for other, _ in predicates])
    return GoalProblem("HF601", message, hint or f"define it, or declare it with `:- dynamic {name}/{arity}.`")


def located(problem: GoalProblem, goal: Term, span: Span | None) -> ExecutionProblem:
    """The problem as shown to the user: with the goal and its position."""
    span = span or (None if isinstance(goal, Var) else goal.span)
    return ExecutionProblem(Diagnostic(problem.code, f"{problem.message} in `{shown(goal)}`", span, problem.hint))


def shown(term: Term) -> str:
    """The term as text, shortened if it is long and outlined if it is nested too deeply."""
    try:
        text = f"{term.name}(…)" if isinstance(term, Struct) and is_larger(term, _LARGEST_GOAL) else show(term)
    except ValueError:
        text = f"{term.name}(…)" if isinstance(term, Struct) else "…"
    return text if len(text) <= _WIDEST_GOAL else text[: _WIDEST_GOAL - 1] + "…"
