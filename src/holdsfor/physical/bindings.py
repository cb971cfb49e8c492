"""What the steps of a plan bind, known before they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.physical.patterns import ANYTHING
from holdsfor.physical.steps import (
    AnyClause,
    AnyOf,
    Broken,
    CountHolding,
    Forget,
    Gather,
    GroundHead,
    HoldsNow,
    JoinFacts,
    MatchPoints,
    NoneOf,
    Prove,
    RangeHead,
    RangeOver,
    StampTime,
    Step,
    TestNumbers,
    Unify,
)
from holdsfor.syntax.terms import Term, variables

__all__ = ["all_steps", "bound_after", "inner_steps", "says_when"]


def inner_steps(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The plans that a step runs itself, each from its own rows."""
    match step:
        case CountHolding():
            return ()
        case NoneOf(steps) | Gather(steps=steps):
            return (steps,)
        case AnyOf(branches) | AnyClause(branches):
            return branches
    return ()


def all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, also those inside others."""
    for step in steps:
        yield step
        for inner in inner_steps(step):
            yield from all_steps(inner)


def bound_after(step: Step, bound: set[str]) -> set[str]:
    """The columns of variables and of numbers after a step, given those before it."""
    match step:
        case MatchPoints(patterns=patterns, numbered=numbered):
            return bound | _named(patterns) | {name for name, _ in numbered}
        case HoldsNow(patterns=patterns, numbered=None) | JoinFacts(patterns=patterns):
            return bound | _named(patterns)
        case Broken(patterns=patterns):
            return bound | set(variables(*patterns))
        case StampTime(name):
            return bound | {name}
        case Prove(outputs=outputs) | AnyClause(outputs=outputs) | AnyOf(names=outputs):
            return bound | set(outputs)
        case TestNumbers(goal=term) | Gather(result=term) | GroundHead(head=term):
            return bound | set(variables(term))
        case Unify(pattern, built):
            return bound | set(variables(pattern, built))
        case RangeOver(name=name) | RangeHead(name=name):
            return bound | {name}
        case Forget(names):
            return bound - set(names)
    return bound


def _named(patterns: Sequence[Term]) -> set[str]:
    return set(variables(*(pattern for pattern in patterns if pattern is not ANYTHING)))


def says_when(step: Step) -> bool:
    """Whether rows have time-points after a step, if they had none before."""
    match step:
        case MatchPoints() | Broken():
            return True
        case AnyOf(branches):
            return all(any(says_when(each) for each in branch) for branch in branches)
    return False
