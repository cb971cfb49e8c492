"""Ids of the logical nodes that have state from one query time to the next.

The ids depend on the rules alone. Two compilations of the same rules give the same ids, in one process or in two, and
rewrites and plans keep them. So the state of a session can be saved by one process and read by another.

- A step of an interval rule, or a variable of it, is the number of the rule and the name of the list that the step
  computes, or of the variable. No two steps of a rule compute one list (HF208).
- A simple fluent of a component is the number of the component with the name and arity of the fluent.
- A component with delayed effects is the number of the component, and a delay its position among the delays.
"""

from __future__ import annotations

from typing import TypeAlias

from holdsfor.syntax.rules import IntervalRule, IntervalStep, step_lists

__all__ = ["FluentId", "NodeId", "step_id", "variable_id"]

NodeId: TypeAlias = tuple[int, str]
"""The number of an interval rule, and the name of a list or variable of it."""

FluentId: TypeAlias = tuple[int, str, int]
"""The number of a component, and the name and arity of a fluent."""


def step_id(rule: IntervalRule, step: IntervalStep) -> NodeId:
    """The id of a step that computes a list."""
    return rule.number, step_lists(step)[1][0]


def variable_id(rule: IntervalRule, name: str) -> NodeId:
    """The id of a variable that ranges over its sort."""
    return rule.number, name
