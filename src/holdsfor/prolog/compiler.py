"""Clause bodies to linked steps.

A goal is compiled given the step that follows it, so the branches of a disjunction share its continuation. Control
constructs become forks and cuts; the goal of `findall/3`, `\\+` and the like is compiled in place if it is known,
and called through `MetaCall` if it is a variable.

    (C -> T ; E)        Fork(C, CutTo, T … | E …)
    \\+ G                Fork(G, CutTo, Fail | …)
    findall(X, G, L)    Fork(G, CollectAnswer | L = answers …)

A variable without a value before a control construct gets a cell there, because the branches may bind it in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from holdsfor.prolog.arithmetic import COMPARISONS, compile_expression, number_term
from holdsfor.prolog.code import (
    FAIL,
    PROCEED,
    Call,
    CollectAnswer,
    Cut,
    CutTo,
    Enter,
    Fork,
    InlineTest,
    MetaCall,
    SoftCut,
    Step,
    TestFunction,
)
from holdsfor.prolog.inline import INLINE
from holdsfor.prolog.patterns import Scope, Slots
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.unify import Ref, Trail, deref, unify
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Struct, Term, Var, conjuncts, list_term, name_and_arity, variables

__all__ = ["CONTROL", "TESTS", "compile_body"]

Library: TypeAlias = Mapping[tuple[str, int], Any]
_TRUE = Atom("true")

TESTS = frozenset([("is", 2), ("=", 2), *((name, 2) for name in COMPARISONS), *INLINE])


def compile_body(body: Term, scope: Scope, library: Library | None = None, end: Step = PROCEED) -> Step:
    """The first step of a body; the variables of the head are in scope.

    Calls of predicates in `library` are bound at compile time rather than looked up at each call.
    """
    try:
        return _Compiler(scope, library or {}).body(body, end)
    except RecursionError:
        raise GoalProblem("HF606", "control constructs are nested too deeply") from None


Cutter: TypeAlias = Callable[[Step], Step]


class _Compiler:
    """Compiles one body. `cut` compiles `!`: to the clause's cut, or to a local cut inside a construct."""

    def __init__(self, scope: Scope, library: Library) -> None:
        self.scope = scope
        self.library = library

    def body(self, body: Term, end: Step) -> Step:
        """The goals from left to right; each goal is compiled when the variables that earlier goals bind are known."""
        makers = [self.goal(goal) for goal in _conjuncts(body)]
        for make in reversed(makers):
            end = make(end)
        return end

    def goal(self, goal: Term) -> Callable[[Step], Step]:
        """A function from the following step to the step of a goal."""
        if isinstance(goal, Atom | Struct) and name_and_arity(goal) not in CONTROL:
            return self.simple(goal)
        fresh = self.scope.unfilled(goal)
        return lambda after: self.with_cells(fresh, self.construct(goal, after, Cut))

    def with_cells(self, slots: list[int], after: Step) -> Step:
        """The step that puts new cells in slots, or `after` if there are no slots."""
        if not slots:
            return after

        def fill(values: Slots, trail: Trail) -> bool:
            for slot in slots:
                values[slot] = Ref(values[0])
            return True

        return InlineTest(_TRUE, {}, after, fill)

    # control

    def construct(self, goal: Term, after: Step, cut: Cutter) -> Step:
        """The steps of a goal inside a control construct: every variable has a value or a cell already."""
        goal = deref(goal)
        if isinstance(goal, Var):
            return self.meta_call(Struct("call", (goal,), goal.span), after)
        if not isinstance(goal, Atom | Struct):
            return InlineTest(goal, self.scope.slots, after, _not_a_goal(goal))
        args = goal.args if isinstance(goal, Struct) else ()
        build = CONTROL.get(name_and_arity(goal))
        if build is not None:
            return build(self, goal, args, after, cut)
        return self.simple(goal)(after)

    def conjunction(self, goal: Term, after: Step, cut: Cutter) -> Step:
        for part in reversed(_conjuncts(goal)):
            after = self.construct(part, after, cut)
        return after

    def disjunction(self, goal: Term, after: Step, cut: Cutter) -> Step:
        branches = _disjuncts(goal)
        step = self.branch(branches.pop(), FAIL, after, cut)
        while branches:
            step = self.branch(branches.pop(), step, after, cut)
        return step

    def branch(self, branch: Term, other: Step, after: Step, cut: Cutter) -> Step:
        """One branch of a disjunction before the others."""
        branch = deref(branch)
        if isinstance(branch, Struct) and branch.name == "->" and len(branch.args) == 2:
            return self.if_then_else(*branch.args, other, after, cut)
        if isinstance(branch, Struct) and branch.name == "*->" and len(branch.args) == 2:
            slot = self.scope.new_slot()
            then = SoftCut(slot, self.construct(branch.args[1], after, cut))
            return Fork(self.local(branch.args[0], slot, then), other, slot)
        step = self.construct(branch, after, cut)
        return step if other is FAIL else Fork(step, other, self.scope.new_slot())

    def if_then_else(self, condition: Term, then: Term, other: Step, after: Step, cut: Cutter) -> Step:
        slot = self.scope.new_slot()
        chosen = CutTo(slot, self.construct(then, after, cut))
        return Fork(self.local(condition, slot, chosen), other, slot)

    def local(self, goal: Term, slot: int, after: Step, spared: int = 1) -> Step:
        """A goal with local cuts: they return to the height in the slot and keep the choice point of the fork."""
        return self.construct(goal, after, lambda step: CutTo(slot, step, spared))

    def negation(self, goal: Term, after: Step) -> Step:
        slot = self.scope.new_slot()
        return Fork(self.local(goal, slot, CutTo(slot, FAIL)), after, slot)

    def opaque(self, goal: Term, after: Step) -> Step:
        """`call(Goal)` of a known goal."""
        if isinstance(goal, Var):
            return self.meta_call(Struct("call", (goal,), goal.span), after)
        slot = self.scope.new_slot()
        return Enter(slot, self.local(goal, slot, after, spared=0))

    def find_all(self, goal: Struct, template: Term, inner: Term, result: Term, tail: Term, after: Step) -> Step:
        gathered, slot = self.scope.new_slot(), self.scope.new_slot()
        build_result, build_tail = self.scope.builder(result), self.scope.builder(tail)

        def start(slots: Slots, trail: Trail) -> bool:
            slots[gathered] = []
            return True

        def finish(slots: Slots, trail: Trail) -> bool:
            found = list_term(slots[gathered], build_tail(slots))
            slots[gathered] = None
            return unify(build_result(slots), found, trail)

        done = InlineTest(goal, self.scope.slots, after, finish)
        gather = CollectAnswer(gathered, self.scope.builder(template))
        return InlineTest(_TRUE, {}, Fork(self.local(inner, slot, gather), done, slot), start)

    def meta_call(self, goal: Struct, after: Step) -> Step:
        build = self.scope.arguments_builder(goal.args)
        return MetaCall(goal, self.scope.slots, after, build)

    # plain goals

    def simple(self, goal: Atom | Struct) -> Callable[[Step], Step]:
        """A function from the following step to the step of a goal that is not a control construct."""
        key = name_and_arity(goal)
        holds = self.test(goal, key)
        names = self.scope.slots
        if holds is not None:
            return lambda after: InlineTest(goal, names, after, holds)
        args = goal.args if isinstance(goal, Struct) else ()
        build = self.scope.arguments_builder(args)
        return lambda after: Call(goal, names, after, key, build, self.library.get(key))

    def test(self, goal: Atom | Struct, key: tuple[str, int]) -> TestFunction | None:
        """The function of a goal that is evaluated in place; None for a call."""
        if isinstance(goal, Atom):
            return None
        if key == ("is", 2):
            return self.assignment(*goal.args)
        if key == ("=", 2):
            return self.equation(*goal.args)
        if key[1] == 2 and key[0] in COMPARISONS:
            return self.comparison(key[0], *goal.args)
        inline = INLINE.get(key)
        if inline is None:
            return None
        build = self.scope.arguments_builder(goal.args)
        return lambda slots, trail: inline(build(slots), trail)

    def assignment(self, target: Term, expression: Term) -> TestFunction:
        """`Target is Expression`. A target without a value needs no cell."""
        unset = self.scope.unfilled(expression)
        value = compile_expression(expression, self.scope)
        if unset:
            return _after_cells(unset, lambda slots, trail: bool(value(slots)))
        if self.is_new(target):
            slot = self.new_variable(target)

            def assign(slots: Slots, trail: Trail) -> bool:
                slots[slot] = number_term(value(slots))
                return True

            return assign
        build = self.scope.builder(target)
        return lambda slots, trail: unify(build(slots), number_term(value(slots)), trail)

    def equation(self, left: Term, right: Term) -> TestFunction:
        """`Left = Right`. A left side without a value needs no cell."""
        if self.is_new(left) and not _occurs(left, right):
            build = self.scope.builder(right)
            slot = self.new_variable(left)

            def assign(slots: Slots, trail: Trail) -> bool:
                slots[slot] = build(slots)
                return True

            return assign
        build_left, build_right = self.scope.builder(left), self.scope.builder(right)
        return lambda slots, trail: unify(build_left(slots), build_right(slots), trail)

    def comparison(self, name: str, left: Term, right: Term) -> TestFunction:
        unset = self.scope.unfilled(left, right)
        compare = COMPARISONS[name]
        one, other = compile_expression(left, self.scope), compile_expression(right, self.scope)
        if unset:
            return _after_cells(unset, lambda slots, trail: compare(one(slots), other(slots)))
        return lambda slots, trail: compare(one(slots), other(slots))

    def is_new(self, term: Term) -> bool:
        """Whether the term is a variable without a value."""
        if self.scope.runtime or type(term) is not Var:
            return False
        return self.scope.slot_of(term) not in self.scope.filled

    def new_variable(self, term: Term) -> int:
        """The slot of a variable that gets its first value here."""
        (slot,) = self.scope.unfilled(term)
        return slot


def _conjuncts(term: Term) -> list[Term]:
    """The goals of `a, b, c` in order, through bound cells."""
    return [deref(goal) for part in conjuncts(deref(term)) for goal in _unfolded(part)]


def _unfolded(part: Term) -> list[Term]:
    inner = deref(part)
    is_hidden = inner is not part and isinstance(inner, Struct) and inner.name == "," and len(inner.args) == 2
    return _conjuncts(inner) if is_hidden else [inner]


def _disjuncts(term: Term) -> list[Term]:
    """The branches of `a ; b ; c`."""
    branches: list[Term] = []
    term = deref(term)
    while isinstance(term, Struct) and term.name == ";" and len(term.args) == 2:
        branches.append(term.args[0])
        term = deref(term.args[1])
    return [*branches, term]


def _occurs(variable: Term, term: Term) -> bool:
    return isinstance(variable, Var) and variable.name in variables(term)


def _not_a_goal(goal: Term) -> TestFunction:
    def refuse(slots: Slots, trail: Trail) -> bool:
        raise not_a("a goal", goal)

    return refuse


def _after_cells(slots: list[int], holds: TestFunction) -> TestFunction:
    """The test, run with new cells in the slots, which no earlier goal can have bound."""

    def run(values: Slots, trail: Trail) -> bool:
        for slot in slots:
            values[slot] = Ref(values[0])
        return holds(values, trail)

    return run


Construct: TypeAlias = Callable[[_Compiler, Any, Any, Step, Cutter], Step]


def _forall(c: _Compiler, condition: Term, action: Term, after: Step) -> Step:
    return c.negation(Struct(",", (condition, Struct("\\+", (action,)))), after)


CONTROL: dict[tuple[str, int], Construct] = {
    ("true", 0): lambda c, goal, args, after, cut: after,
    ("fail", 0): lambda c, goal, args, after, cut: FAIL,
    ("false", 0): lambda c, goal, args, after, cut: FAIL,
    ("!", 0): lambda c, goal, args, after, cut: cut(after),
    (",", 2): lambda c, goal, args, after, cut: c.conjunction(goal, after, cut),
    (";", 2): lambda c, goal, args, after, cut: c.disjunction(goal, after, cut),
    ("->", 2): lambda c, goal, args, after, cut: c.branch(goal, FAIL, after, cut),
    ("*->", 2): lambda c, goal, args, after, cut: c.branch(goal, FAIL, after, cut),
    ("\\+", 1): lambda c, goal, args, after, cut: c.negation(args[0], after),
    ("not", 1): lambda c, goal, args, after, cut: c.negation(args[0], after),
    ("^", 2): lambda c, goal, args, after, cut: c.opaque(args[1], after),
    ("once", 1): lambda c, goal, args, after, cut: c.if_then_else(args[0], _TRUE, FAIL, after, cut),
    ("ignore", 1): lambda c, goal, args, after, cut: c.if_then_else(args[0], _TRUE, after, after, cut),
    ("forall", 2): lambda c, goal, args, after, cut: _forall(c, args[0], args[1], after),
    ("findall", 3): lambda c, goal, args, after, cut: c.find_all(goal, args[0], args[1], args[2], EMPTY_LIST, after),
    ("findall", 4): lambda c, goal, args, after, cut: c.find_all(goal, args[0], args[1], args[2], args[3], after),
    ("call", 1): lambda c, goal, args, after, cut: c.opaque(args[0], after),
    **{("call", n): lambda c, goal, args, after, cut: c.meta_call(goal, after) for n in range(2, 9)},
}
