"""A physical program as text: numbered relations, each with the operator that computes it.

This module creates the lines; `physical/plan_text.py` lays them out. A line refers to the place where a profile counts
its operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from holdsfor.logical.program import LogicalComponent
from holdsfor.logical.rule_text import delay_clause
from holdsfor.physical.interval_operators.operator import IntervalOperator
from holdsfor.physical.interval_planner import PlannedIntervalRule, are_maximal
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Plan
from holdsfor.physical.plan import PlannedComponent, PlannedDelay, PlannedFluent, PlannedInitial, PlannedRule
from holdsfor.physical.plan_text import Place, PlanLine
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.rules import Delay
from holdsfor.syntax.terms import Var, variables

__all__ = ["EvaluationStrategy", "Explainer"]


@dataclass(frozen=True)
class _Flow:
    """The state of a plan: its last relation, the bound columns, and whether rows have time-points."""

    relation: str = ""
    bound: set[str] = field(default_factory=set)
    is_timed: bool = False


@dataclass(frozen=True)
class EvaluationStrategy:
    """The evaluation strategy of a component, and when the external and the internal conditions of its rules run."""

    name: str = ""
    outside: str = ""
    inside: str = ""


class Explainer:
    """Creates the lines of one program; relations are numbered consecutively."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.numbers = count(1)
        self.lines: list[PlanLine] = []

    def line(self, depth: int, inputs: Sequence[str], description: Description, place: Place, when: str = "") -> str:
        """Add a relation and return its name."""
        name = f"r{next(self.numbers)}"
        taken = ", ".join(each for each in inputs if each)
        cells = (description.operator, taken, description.subject, description.how, description.binds, when)
        self.lines.append(PlanLine(depth, name, cells, place))
        return name

    def heading(self, depth: int, text: str, place: Place = None) -> None:
        self.lines.append(PlanLine(depth, "", (text,), place))

    # -- operators -----------------------------------------------------------------------------------------------------

    def plan(self, plan: Plan, flow: _Flow, depth: int, whens: Sequence[str] = ()) -> _Flow:
        """The lines of a plan; inner operators come before the operator that runs them."""
        for i, operator in enumerate(plan):
            description = operator.describe(self.wording, flow.bound, is_timed=flow.is_timed)
            if description is None:
                continue
            ends = [self.plan(each, flow, depth + 1).relation for each in operator.inner]
            inputs = [flow.relation, *ends] if len(ends) < 2 else ends
            relation = self.line(depth, inputs, description, id(operator), whens[i] if whens else "")
            flow = _Flow(relation, operator.bound_after(flow.bound), flow.is_timed or operator.binds_time)
        return flow

    def follow(self, plan: Plan, relation: str, bound: set[str]) -> None:
        """The lines of a plan that continues from a relation."""
        self.plan(plan, _Flow(relation, bound), 2)

    # -- components ----------------------------------------------------------------------------------------------------

    def component(
        self, number: int, logical: LogicalComponent, planned: PlannedComponent, strategy: EvaluationStrategy
    ) -> None:
        text = f"component {number + 1}, level {logical.level}: {logical.label}"
        self.heading(0, text + (f"  ({strategy.name})" if strategy.name else ""), ("component", planned.number))
        for rule in planned.events:
            relation = self.rule(rule, strategy)
            self.line(2, [relation], Description("events", show_indicator(*rule.key), "each once"), None)
        effects = {key: self.effects(fluent, strategy) for key, fluent in planned.fluents.items()}
        for delay, plan in zip(logical.delays, planned.delays, strict=True):
            what = "delayed terminations" if plan.is_termination else "delayed initiations"
            effects[plan.target_key].setdefault(what, []).append(self.delay(delay, plan))
        for key, relations in effects.items():
            self.heading(1, f"fluent {show_indicator(*key)}")
            how = "; ".join(f"{what} {', '.join(names)}" for what, names in relations.items() if names)
            self.line(2, [], Description("inertia", "", how), ("inertia", planned.number, key), strategy.inside)
        is_merged = not are_maximal(planned.interval_rules)
        for interval_rule in planned.interval_rules:
            self.interval_rule(interval_rule, is_merged=is_merged)

    def effects(self, fluent: PlannedFluent, strategy: EvaluationStrategy) -> dict[str, list[str]]:
        """The rules that change a fluent, by kind."""
        return {
            "initial values": [self.initial(each) for each in fluent.initially],
            "initiations": [self.rule(rule, strategy) for rule in fluent.initiations],
            "terminations": [self.rule(rule, strategy) for rule in fluent.terminations],
        }

    def rule(self, rule: PlannedRule, strategy: EvaluationStrategy) -> str:
        """The plan of a rule with a time-point; returns its last relation."""
        self.heading(1, f"{rule.rule.kind}({show(rule.head)}, {show(rule.rule.time)})")
        whens = [strategy.outside if i < rule.n_outside else strategy.inside for i in range(len(rule.operators))]
        flow = self.plan(rule.operators, _Flow(), 2, whens)
        if not rule.unbound:
            return flow.relation
        if rule.rule.kind == "terminatedAt":
            return self.line(2, [flow.relation], Description("spread", show(rule.head), _spread(rule)), None)
        description = Description("ground", show(rule.head), "instances of the grounding, or of sorts")
        return self.line(2, [flow.relation], description, ("ground", id(rule.head)))

    def initial(self, initial: PlannedInitial) -> str:
        self.heading(1, f"initially({show(initial.head)})")
        flow = self.plan(initial.operators, _Flow(), 2)
        if set(variables(initial.head)) <= flow.bound:
            return self.line(2, [flow.relation], Description("initial", show(initial.head)), None)
        description = Description("ground", show(initial.head), "instances of the grounding, or of sorts")
        return self.line(2, [flow.relation], description, ("ground", id(initial.head)))

    def delay(self, delay: Delay, plan: PlannedDelay) -> str:
        self.heading(1, delay_clause(delay).split(" :-")[0].rstrip("."))
        scan = self.line(2, [], Description("scan initiations", str(delay.source)), None)
        bound = set(variables(*plan.source))
        flow = self.plan(plan.set_up, _Flow(scan, bound, is_timed=True), 2, ["when set up"] * len(plan.set_up))
        postponed = "postponable" if plan.postponements else ""
        effect = self.line(2, [flow.relation], Description("wait", show(delay.delay), postponed), None)
        after = _Flow(effect, set(plan.bound), is_timed=True)
        flow = self.plan(plan.when_due, after, 2, ["when due"] * len(plan.when_due))
        if delay.target is None:
            return self.line(2, [flow.relation], Description("terminate", str(delay.source)), None)
        return self.line(2, [flow.relation], Description("initiate", str(delay.target)), None)

    # -- intervals -----------------------------------------------------------------------------------------------------

    def interval_rule(self, rule: PlannedIntervalRule, *, is_merged: bool) -> None:
        """The plan of an interval rule."""
        self.heading(1, f"holdsFor({rule.rule.fvp}, {show(rule.rule.result)})")
        relations: dict[str, str] = {}
        varies: dict[str, tuple[str, ...]] = {}
        for operator in rule.operators:
            relations[operator.output] = self.interval_operator(operator, relations, varies)
            varies[operator.output] = operator.names
        flow = _Flow(relations[rule.head.result], set(rule.head.given))
        flow = self.plan(rule.head.tests, flow, 2)
        operation, how = ("merge", "maximal intervals per instance") if is_merged else ("head", "maximal as they are")
        self.line(2, [flow.relation], Description(operation, str(rule.rule.fvp), how), None)

    def interval_operator(
        self, operator: IntervalOperator, relations: dict[str, str], varies: dict[str, tuple[str, ...]]
    ) -> str:
        """The line of an interval operator, after the plans over instances that it runs."""
        inputs = [relations[name] for name in operator.inputs]
        for plan in operator.plans:
            given = (
                {name for each in operator.inputs for name in varies[each]} if operator.extends_inputs else set[str]()
            )
            flow = _Flow(inputs[0] if operator.extends_inputs else "", given)
            inputs = [*inputs, self.plan(plan, flow, 3).relation]
        by = f"by {self.wording.names(operator.names)}" if operator.names else ""
        description = operator.describe(self.wording)
        return self.line(2, inputs, replace(description, binds=description.binds or by), id(operator))


def _spread(rule: PlannedRule) -> str:
    """The range of the unbound variables of a termination."""
    value = rule.columns[-1]
    has_open_value = isinstance(value, Var) and value.name in rule.unbound
    is_value_only = has_open_value and set(rule.unbound) == set(variables(value))
    return "any value" if is_value_only else "over the instances initiated or holding"
