"""The engine: proves goals from a database.

>>> from holdsfor.syntax.parser import parse_term
>>> database = Database()
>>> database.add_clause(parse_term("likes(ann, bob)"))
>>> database.add_clause(parse_term("likes(ann, sue)"))
>>> engine = Engine(database)
>>> [solution["X"] for solution in engine.solve(parse_term("likes(ann, X)"))]
[Atom(name='bob'), Atom(name='sue')]
>>> engine.holds(parse_term("likes(bob, ann)"))
False
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import count

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog.arithmetic import number_term, value_of
from holdsfor.prolog.database import Database
from holdsfor.prolog.faults import Faults
from holdsfor.prolog.groundness import Groundness
from holdsfor.prolog.machine import Machine
from holdsfor.prolog.problems import RESULTLESS, GoalProblem, located, shown
from holdsfor.prolog.unify import Ref, deref, resolve_counted
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Float, Int, Term, Var, is_larger, variables

__all__ = ["DEFAULT_MAX_DEPTH", "DEFAULT_MAX_STEPS", "PROOF", "Engine"]

DEFAULT_MAX_STEPS = 5_000_000
DEFAULT_MAX_DEPTH = 2_000_000
MAX_PARTS = 5_000_000
"""The maximal number of parts of a term in an answer."""


class Proof:
    """Whether a goal is being proved, and which: a signal that arrives during a proof may have to stop it."""

    def __init__(self) -> None:
        self.is_running = False
        self.number = 0
        self._n_goals = 0

    def begin(self) -> int:
        """The number of a new goal."""
        self._n_goals += 1
        return self._n_goals

    def next_answer(self, goal: int, answers: Iterator[dict[str, Term]]) -> dict[str, Term] | None:
        """The next answer of a goal, or None."""
        self.is_running = True
        self.number = goal
        try:
            return next(answers, None)
        finally:
            self.is_running = False


PROOF = Proof()


class Engine:
    """Answers goals from a database. Every goal has its own machine, so answers of several goals may be interleaved.

    `max_steps` bounds the calls of a goal, `max_depth` the number of pending goals or choice points. A goal that
    exceeds a bound raises an `ExecutionProblem`, like every other failure of a proof. With `faults`, a condition
    without a result fails, and is noted there.
    """

    def __init__(
        self,
        database: Database,
        *,
        max_steps: int = DEFAULT_MAX_STEPS,
        max_depth: int = DEFAULT_MAX_DEPTH,
        faults: Faults | None = None,
    ) -> None:
        self.database = database
        self.faults = faults
        self.max_steps = max_steps
        self.max_depth = max_depth

    @cached_property
    def groundness(self) -> Groundness:
        """The groundness analysis; the database must not change afterwards, except for ground facts."""
        return Groundness(self.database)

    def solve(self, goal: Term) -> Iterator[dict[str, Term]]:
        """The solutions one by one: the value of every variable of the goal; an unbound variable is its own value."""
        answers = self._answers(goal)
        number = PROOF.begin()
        while (answer := PROOF.next_answer(number, answers)) is not None:
            yield answer

    def _answers(self, goal: Term) -> Iterator[dict[str, Term]]:
        """The solutions; copying their terms counts as steps of the goal."""
        cells = {name: Ref() for name in variables(goal)}
        machine = Machine(self.database, self.max_steps, self.max_depth, self.faults)
        try:
            for _ in machine.solutions(goal, cells):
                yield _answer(cells, machine.charge)
        except GoalProblem as problem:
            raise located(problem, goal, None) from None
        finally:
            machine.release()

    def once(self, goal: Term) -> dict[str, Term] | None:
        """The first solution, or None."""
        return next(self.solve(goal), None)

    def holds(self, goal: Term) -> bool:
        """Whether there is a solution."""
        return self.once(goal) is not None

    def number(self, expression: Term, span: Span | None) -> Int | Float | None:
        """The value of an expression of the condition at a place; None if it has no result, which is noted."""
        try:
            return number_term(value_of(expression))
        except GoalProblem as problem:
            if self.faults is None or problem.code not in RESULTLESS:
                raise located(problem, expression, span) from None
            self.faults.note(problem.code, problem.message, expression, span)
            return None

    @property
    def n_faults(self) -> int:
        """How often a condition had no result."""
        return 0 if self.faults is None else self.faults.n_noted

    def run(self, goal: Term) -> bool:
        """Prove a goal once for its effect on the database; whether it succeeded."""
        return self.holds(goal)

    def start_up(self, goals: Iterable[Term]) -> None:
        """Prove the goals before a run. A goal that fails, or computes without a result, is an error.

        Afterwards goals cannot change the database.
        """
        prover = Engine(self.database, max_steps=self.max_steps, max_depth=self.max_depth)
        for goal in goals:
            if not prover.run(goal):
                hint = "a start-up goal must succeed; `ignore(Goal)` always does"
                message = f"the start-up goal `{shown(goal)}` failed"
                raise ExecutionProblem(Diagnostic("HF612", message, None if isinstance(goal, Var) else goal.span, hint))
        self.database.is_frozen = True


def _answer(cells: dict[str, Ref], charge: Callable[[int], None]) -> dict[str, Term]:
    """The values of the cells. Unbound cells become variables, with the name from the goal or a new name."""
    names: dict[Ref, Var] = {}
    for name, cell in cells.items():
        value = deref(cell)
        if isinstance(value, Ref):
            names.setdefault(value, Var(name))
    numbers = count(1)

    def named(ref: Ref) -> Var:
        if ref not in names:
            names[ref] = Var(f"_G{next(numbers)}")
        return names[ref]

    answer: dict[str, Term] = {}
    for name, cell in cells.items():
        answer[name], n_structures = resolve_counted(cell, named)
        charge(n_structures - 1)
    if any(is_larger(term, MAX_PARTS) for term in answer.values()):
        raise GoalProblem("HF611", f"a term has more than {MAX_PARTS:,} parts")
    return answer
