"""The machine: runs one query with explicit stacks, so that Python's recursion limit bounds neither depth nor length.

Registers are the frame (see `code`): the current step, its slots, the height to which a cut returns, the frame below
and the depth. A last call replaces the frame of its caller. A call for which an index leaves one clause creates no
choice point, so deterministic recursion needs memory only for pending goals.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any

from holdsfor.prolog.choices import Alternative, Choice, ClausesLeft, RowsLeft, unify_row
from holdsfor.prolog.clauses import CompiledClause
from holdsfor.prolog.code import FAIL, HALT, PROCEED, Call, Frame, Goal, InlineTest, Registers, Step
from holdsfor.prolog.compiler import CONTROL, TESTS, compile_body
from holdsfor.prolog.database import Database, Predicate
from holdsfor.prolog.faults import Faults
from holdsfor.prolog.library import LIBRARY, library_predicates
from holdsfor.prolog.patterns import Scope, Slots
from holdsfor.prolog.problems import RESULTLESS, GoalProblem, located, not_a, undefined
from holdsfor.prolog.registry import DETERMINISTIC, ENUMERATED, builtin_keys
from holdsfor.prolog.unify import Ref, Trail, copy_term, deref
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity

__all__ = ["Machine"]

_MAX_BLOCKS = 6_000_000
"""The number of Python memory blocks that a goal may allocate: about half a gigabyte."""

_BLOCKS_PER_TERM = 3
_STEPS_BETWEEN_CHECKS = 50_000


class Machine:
    """One run of one query."""

    def __init__(self, database: Database, max_steps: int, max_depth: int, faults: Faults | None = None) -> None:
        self.database = database
        self.faults = faults
        self.library = library_predicates()
        self.max_steps = max_steps
        self.max_depth = max_depth
        self.steps_left = max_steps
        self.checked_at = max(0, max_steps - _STEPS_BETWEEN_CHECKS)
        self.n_blocks_before: int | None = None
        self.trail = Trail(self.charge)
        self.choices: list[Choice] = []

    def release(self) -> None:
        """Drop the reference of the trail to the machine after the run, so that reference counts free both."""
        del self.trail.charge

    # the choice stack

    def push(self, choice: Choice) -> None:
        trail = self.trail
        trail.stamp += 1
        trail.barrier = choice.stamp = trail.stamp
        choice.mark = len(trail.entries)
        self.choices.append(choice)
        if len(self.choices) > self.max_depth:
            raise self.too_deep("choice points")

    def push_alternative(self, registers: Registers) -> None:
        self.push(Alternative(registers))

    def cut_to(self, height: int) -> None:
        """Drop the choice points above a height."""
        choices = self.choices
        if len(choices) > height:
            mark = choices[height].mark
            del choices[height:]
            self.trail.barrier = choices[-1].stamp if choices else 0
            self.trail.tidy(mark)

    def disable_alternative(self, height: int) -> None:
        choice = self.choices[height]
        assert isinstance(choice, Alternative)
        choice.registers = None

    # budgets

    def count_step(self) -> None:
        self.steps_left -= 1
        if self.steps_left < self.checked_at:
            self.check_budgets()

    def charge(self, n_terms: int) -> None:
        """Charge one step per term to be created, and refuse more terms than the memory budget allows."""
        self.steps_left -= n_terms
        if self.steps_left < self.checked_at:
            self.check_budgets(_BLOCKS_PER_TERM * n_terms)

    def check_budgets(self, n_wanted: int = 0) -> None:
        """Stop a goal that exceeds its budgets.

        Measuring memory is too slow for every step and for goals of a few steps.
        """
        n_blocks = sys.getallocatedblocks()
        if self.n_blocks_before is None:
            self.n_blocks_before = n_blocks
        if n_blocks + n_wanted - self.n_blocks_before > _MAX_BLOCKS:
            hint = "look for a recursion that does not end, or make shorter lists"
            raise GoalProblem("HF611", "the goal exceeds its memory budget", hint)
        if self.steps_left < 0:
            raise self.too_many_steps()
        self.checked_at = max(0, self.steps_left - _STEPS_BETWEEN_CHECKS)

    def too_many_steps(self) -> GoalProblem:
        hint = "look for a recursion that does not end, or test fewer cases"
        return GoalProblem("HF605", f"the goal exceeds {self.max_steps:,} steps", hint)

    def push_frame(self, goal: Goal, slots: Slots, cut: int, parent: Frame) -> Frame:
        """The frame that waits for a goal."""
        depth = parent[4] + 1
        if depth > self.max_depth:
            raise self.too_deep("pending goals")
        return goal, slots, cut, parent, depth

    def too_deep(self, what: str) -> GoalProblem:
        hint = "look for a recursion that does not end, or test fewer cases"
        return GoalProblem("HF606", f"there are more than {self.max_depth:,} {what}", hint)

    # calling

    def copy(self, term: Term) -> Term:
        """A copy of a term with new cells."""
        return copy_term(term, self.trail)

    def enter_goal(self, args: tuple[Term, ...], parent: Frame) -> Registers:
        """The registers that run the first argument as a goal, with the other arguments appended to it."""
        goal = _extended(deref(args[0]), args[1:])
        key = name_and_arity(goal)
        scope = Scope(runtime=True)
        if key in CONTROL or key in TESTS:
            code = compile_body(goal, scope)
        else:
            given = goal.args if isinstance(goal, Struct) else ()
            code = Call(goal, {}, PROCEED, key, scope.arguments_builder(given))
        slots: Slots = [None] * scope.size
        slots[0] = self.trail.stamp
        return code, slots, len(self.choices), parent

    def call_rows(
        self, predicate: Predicate | None, key: tuple[str, int], args: tuple[Term, ...], parent: Frame
    ) -> bool:
        """Call a table, a foreign predicate or a built-in; True if a row matches. Further rows get a choice point."""
        self.count_step()
        if predicate is not None:
            assert predicate.table is not None
            return self.take_rows(args, predicate.table.rows(args), parent)
        if key in self.database.foreign:
            return self.take_rows(args, self.database.foreign[key](args, self), parent)
        if key in DETERMINISTIC:
            return DETERMINISTIC[key](args, self)
        if key in ENUMERATED:
            return self.take_rows(args, ENUMERATED[key](args, self), parent)
        raise undefined(*key, [*self.database.predicates(), *builtin_keys()])

    def take_rows(self, args: tuple[Term, ...], rows: Iterator[tuple[Term, ...]], parent: Frame) -> bool:
        first = next(rows, None)
        if first is None:
            return False
        second = next(rows, None)
        if second is None:
            return unify_row(args, first, self.trail)
        choice = RowsLeft(args, first, chain((second,), rows), parent)
        self.push(choice)
        return choice.resume(self) is not None

    # running

    def solutions(self, goal: Term, cells: dict[str, Ref]) -> Iterator[None]:
        """Run a goal; at each solution the cells of its variables are bound."""
        query = CompiledClause(Struct("$query", tuple(map(Var, cells))), goal)
        try:
            code = query.prepare()
        except GoalProblem as problem:
            raise located(problem, goal, None) from None
        slots: Slots = [0, *cells.values(), *query.blank]
        bottom: Frame = (Goal(goal, {name: at for at, name in enumerate(cells, 1)}, HALT), slots, 0, None, 0)
        yield from self._run((code, slots, 0, bottom), bottom)

    def _run(self, registers: Registers | None, bottom: Frame) -> Iterator[None]:
        """Run forward from the registers, and backtrack on failure, until no choice point is left.

        A forward run ends at a goal that fails or at a call with clauses to try, `candidates[at:n]`. The inner loop
        tries the clauses, backtracks to the newest choice point when no clause is left, and ends when a clause matches.
        `left` is the choice point of the clauses being tried, if it was created. The loop is one function, because a
        Python call for each step would cost as much as the step.
        """
        assert registers is not None
        code: Any
        code, slots, cut, parent = registers
        trail, choices, contents, library = self.trail, self.choices, self.database.contents, self.library
        left: ClausesLeft | None = None
        while True:
            try:
                while True:
                    at = n = 0
                    kind = type(code)
                    if kind is InlineTest:
                        if code.holds(slots, trail):
                            code = code.next
                            continue
                    elif kind is Call:
                        args = code.build(slots)
                        if code.next is not PROCEED:
                            depth: int = parent[4] + 1
                            if depth > self.max_depth:
                                raise self.too_deep("pending goals")
                            parent = (code, slots, cut, parent, depth)
                        predicate = code.predicate or contents.get(code.key) or library.get(code.key)
                        if predicate is None or (clauses := predicate.clauses) is None:
                            if self.call_rows(predicate, code.key, args, parent):
                                code, slots, cut, parent, _ = parent
                                code = code.next
                                continue
                        else:
                            candidates, dead, time = clauses.candidates(args), clauses.dead, self.database.time
                            height, n = len(choices), len(candidates)
                            if dead and candidates is clauses.all:
                                at = clauses.n_dead_ahead
                    elif code is PROCEED:
                        # Backtracking may return from many pending goals for each call.
                        self.steps_left -= 1
                        if self.steps_left < self.checked_at:
                            self.check_budgets()
                        code, slots, cut, parent, _ = parent
                        code = code.next
                        continue
                    elif code is HALT:
                        yield
                    elif (registers := code.step(self, slots, cut, parent)) is not None:
                        code, slots, cut, parent = registers
                        continue

                    while True:
                        if at < n:
                            clause = candidates[at]
                            at += 1
                            if dead and dead.get(clause, time + 1) <= time:
                                continue
                            if at < n:
                                if left is None:
                                    left = ClausesLeft(args, candidates, n, dead, time, parent)
                                    self.push(left)
                                left.at = at
                            elif left is not None:
                                self.cut_to(height)
                                left = None
                            self.steps_left -= 1
                            if self.steps_left < self.checked_at:
                                self.check_budgets()
                            first = clause.code or clause.prepare()
                            fresh = [trail.stamp, *args, *clause.blank]
                            for slot, match in clause.matchers:
                                if not match(fresh[slot], fresh, trail):
                                    break
                            else:
                                code, slots, cut, left = first, fresh, height, None
                                break
                            if left is not None:
                                trail.undo(left.mark)
                            continue
                        if left is not None:
                            self.cut_to(height)
                            left = None
                        if not choices:
                            return
                        newest = choices[-1]
                        trail.undo(newest.mark)
                        if type(newest) is ClausesLeft:
                            left, height = newest, len(choices) - 1
                            args, candidates, at, n = left.args, left.clauses, left.at, left.n
                            dead, time, parent = left.dead, left.time, left.parent
                        elif (registers := newest.resume(self)) is not None:
                            code, slots, cut, parent = registers
                            break
            except GoalProblem as problem:
                self.fail_without_result(problem, code, slots, parent, bottom)
                code, left = FAIL, None

    def fail_without_result(self, problem: GoalProblem, code: Step, slots: Slots, parent: Frame, bottom: Frame) -> None:
        """Note a goal that fails because it has no result for its values; raise every other problem."""
        if problem.code in ("HF605", "HF606", "HF611"):
            raise located(problem, bottom[0].goal, None) from None
        goal, span = _origin(code, slots, parent)
        if self.faults is None or problem.code not in RESULTLESS:
            raise located(problem, goal, span) from None
        self.faults.note(problem.code, problem.message, goal, span)


def _origin(code: Step, slots: Slots, frame: Frame) -> tuple[Term, Span | None]:
    """The goal of the program that caused a problem, with its values, and its place."""
    below: Frame | None = frame
    while below is not None and (not isinstance(code, Goal) or _is_library(code)):
        code, slots, _, below, _ = below
    assert isinstance(code, Goal)
    span = None if isinstance(code.goal, Var) else code.goal.span
    try:
        return code.shown_with(slots), span
    except GoalProblem:
        return code.goal, span


def _is_library(code: Goal) -> bool:
    """Whether the goal belongs to the library rather than to a program."""
    return not isinstance(code.goal, Var) and code.goal.span is not None and code.goal.span.source is LIBRARY


def _extended(goal: Term, extra: tuple[Term, ...]) -> Atom | Struct:
    """The goal with arguments appended."""
    if not isinstance(goal, Atom | Struct):
        raise not_a("a goal", goal)
    if not extra:
        return goal
    own = goal.args if isinstance(goal, Struct) else ()
    return Struct(goal.name, (*own, *extra), goal.span)
