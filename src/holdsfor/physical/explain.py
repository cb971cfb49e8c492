"""A physical program as text: numbered relations, each with the operator that makes it.

Lines are made here and laid out in `physical/plan_text.py`. A line knows the place where a profile counts what it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from holdsfor.logical.program import LogicalComponent
from holdsfor.logical.rule_text import delay_clause, show_step
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.plan import PlannedComponent, PlannedDelay, PlannedFluent, PlannedInitial, PlannedRule
from holdsfor.physical.plan_text import Place, PlanLine
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_scope import list_variables
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Delay,
    Duration,
    HoldsFor,
    Intersect,
    IntervalRule,
    IntervalStep,
    Not,
    RelativeComplement,
    Test,
    Union,
    step_lists,
)
from holdsfor.syntax.terms import Term, Var, variables

__all__ = ["Explainer", "Manner"]


@dataclass(frozen=True)
class _Flow:
    """Where a plan has come to: its last relation, what is bound, whether rows have time-points."""

    relation: str = ""
    bound: set[str] = field(default_factory=set)
    is_timed: bool = False


@dataclass(frozen=True)
class Manner:
    """How a component is evaluated, and when its rules ask what is outside of it and what is inside."""

    name: str = ""
    outside: str = ""
    inside: str = ""


class Explainer:
    """Makes the lines of one program; relations are numbered through."""

    def __init__(self, wording: Wording, planner: Planner) -> None:
        self.wording = wording
        self.planner = planner
        self.numbers = count(1)
        self.lines: list[PlanLine] = []

    def line(self, depth: int, inputs: Sequence[str], description: Description, place: Place, when: str = "") -> str:
        """One more relation; returns its name."""
        name = f"r{next(self.numbers)}"
        taken = ", ".join(each for each in inputs if each)
        cells = (description.operator, taken, description.subject, description.how, description.binds, when)
        self.lines.append(PlanLine(depth, name, cells, place))
        return name

    def heading(self, depth: int, text: str, place: Place = None) -> None:
        self.lines.append(PlanLine(depth, "", (text,), place))

    # -- steps ---------------------------------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Operator], flow: _Flow, depth: int, whens: Sequence[str] = ()) -> _Flow:
        """The lines of steps, those inside others before them."""
        for i, step in enumerate(steps):
            description = step.describe(self.wording, flow.bound, is_timed=flow.is_timed)
            if description is None:
                continue
            ends = [self.steps(plan, flow, depth + 1).relation for plan in step.inner]
            inputs = [flow.relation, *ends] if len(ends) < 2 else ends
            relation = self.line(depth, inputs, description, id(step), whens[i] if whens else "")
            flow = _Flow(relation, step.bound_after(flow.bound), flow.is_timed or step.binds_time)
        return flow

    def follow(self, steps: Sequence[Operator], relation: str, bound: set[str]) -> None:
        """The lines of steps that go on from a relation."""
        self.steps(steps, _Flow(relation, bound), 2)

    # -- components ----------------------------------------------------------------------------------------------------

    def component(self, number: int, logical: LogicalComponent, planned: PlannedComponent, manner: Manner) -> None:
        text = f"component {number + 1}, level {logical.level}: {logical.label}"
        self.heading(0, text + (f"  ({manner.name})" if manner.name else ""), ("component", number))
        for rule in planned.events:
            relation = self.rule(rule, manner)
            self.line(2, [relation], Description("events", show_indicator(*rule.key), "each once"), None)
        effects = {key: self.effects(fluent, manner) for key, fluent in planned.fluents.items()}
        for delay, plan in zip(logical.delays, planned.delays, strict=True):
            what = "delayed terminations" if plan.is_termination else "delayed initiations"
            effects[plan.target_key].setdefault(what, []).append(self.delay(delay, plan))
        for key, relations in effects.items():
            self.heading(1, f"fluent {show_indicator(*key)}")
            how = "; ".join(f"{what} {', '.join(names)}" for what, names in relations.items() if names)
            self.line(2, [], Description("inertia", "", how), ("inertia", number, key), manner.inside)
        is_merged = self.is_merged(planned.static)
        for interval_rule in planned.static:
            self.interval_rule(interval_rule, is_merged=is_merged)

    def effects(self, fluent: PlannedFluent, manner: Manner) -> dict[str, list[str]]:
        """What changes a fluent, by kind."""
        return {
            "initial values": [self.initial(each) for each in fluent.initially],
            "initiations": [self.rule(rule, manner) for rule in fluent.initiations],
            "terminations": [self.rule(rule, manner) for rule in fluent.terminations],
        }

    def rule(self, rule: PlannedRule, manner: Manner) -> str:
        """The plan of a rule with a time-point; returns its last relation."""
        self.heading(1, f"{rule.rule.kind}({show(rule.head)}, {show(rule.rule.time)})")
        whens = [manner.outside if i < rule.n_outside else manner.inside for i in range(len(rule.steps))]
        flow = self.steps(rule.steps, _Flow(), 2, whens)
        if not rule.unbound:
            return flow.relation
        if rule.rule.kind == "terminatedAt":
            return self.line(2, [flow.relation], Description("spread", show(rule.head), _spread(rule)), None)
        description = Description("ground", show(rule.head), "instances of the grounding, or of sorts")
        return self.line(2, [flow.relation], description, ("ground", id(rule.head)))

    def initial(self, initial: PlannedInitial) -> str:
        self.heading(1, f"initially({show(initial.head)})")
        flow = self.steps(initial.steps, _Flow(), 2)
        if set(variables(initial.head)) <= flow.bound:
            return self.line(2, [flow.relation], Description("initial", show(initial.head)), None)
        description = Description("ground", show(initial.head), "instances of the grounding, or of sorts")
        return self.line(2, [flow.relation], description, ("ground", id(initial.head)))

    def delay(self, delay: Delay, plan: PlannedDelay) -> str:
        self.heading(1, delay_clause(delay).split(" :-")[0].rstrip("."))
        scan = self.line(2, [], Description("scan initiations", str(delay.source)), None)
        bound = set(variables(*plan.source))
        flow = self.steps(plan.set_up, _Flow(scan, bound, is_timed=True), 2, ["when set up"] * len(plan.set_up))
        postponed = "postponable" if plan.postponements else ""
        effect = self.line(2, [flow.relation], Description("wait", show(delay.delay), postponed), None)
        after = _Flow(effect, set(plan.bound), is_timed=True)
        flow = self.steps(plan.when_due, after, 2, ["when due"] * len(plan.when_due))
        if delay.target is None:
            return self.line(2, [flow.relation], Description("terminate", str(delay.source)), None)
        return self.line(2, [flow.relation], Description("initiate", str(delay.target)), None)

    # -- intervals -----------------------------------------------------------------------------------------------------

    def is_merged(self, rules: Sequence[IntervalRule]) -> bool:
        """Whether what rules give an instance has to be made maximal: not where each has a value of its own."""
        shapes = [self.planner.shape(rule.fvp) for rule in rules]
        for rule, shape in zip(rules, shapes, strict=True):
            assert isinstance(rule.result, Var)
            bound = set(list_variables(rule)[rule.result.name])
            for step in self.planner.tests(rule, frozenset(bound)):
                bound = step.bound_after(bound)
            if not shape.is_plain or set(shape.arguments or ()) != bound:
                return True
        return len({shape.value for shape in shapes}) < len(shapes)

    def interval_rule(self, rule: IntervalRule, *, is_merged: bool) -> None:
        self.heading(1, f"holdsFor({rule.fvp}, {show(rule.result)})")
        varies = list_variables(rule)
        relations: dict[str, str] = {}
        for index, step in enumerate(rule.body):
            if not isinstance(step, Test | Not):
                self.interval_step(rule, index, step, varies, relations)
        assert isinstance(rule.result, Var)
        names = frozenset(varies[rule.result.name])
        flow = _Flow(relations[rule.result.name], set(names))
        flow = self.steps(self.planner.tests(rule, names), flow, 2)
        operator, how = ("merge", "maximal intervals per instance") if is_merged else ("head", "maximal as they are")
        self.line(2, [flow.relation], Description(operator, str(rule.fvp), how), None)

    def interval_step(
        self,
        rule: IntervalRule,
        index: int,
        step: IntervalStep,
        varies: dict[str, tuple[str, ...]],
        relations: dict[str, str],
    ) -> None:
        read, made = step_lists(step)
        inputs = [relations[name] for name in read if name in relations]
        names = varies[made[0]] if made else ()
        by = f"by {self.wording.names(names)}" if names else ""
        description = Description(
            _operation(step), self._subject(step), _remark(step, [varies[name] for name in read if name in varies]), by
        )
        relation = self.line(2, inputs, description, ("list", rule.number, index))
        relations.update(dict.fromkeys(made, relation))

    def _subject(self, step: IntervalStep) -> str:
        match step:
            case HoldsFor(fvp):
                return str(fvp)
            case Duration(comparison, bound=bound):
                return f"{'>' if comparison == 'greater' else '<'} {show(bound)}"
            case Allen(relation=relation, mode=mode):
                return f"{relation}, {mode}"
            case Union() | Intersect() | RelativeComplement() | Complement():
                return ", ".join(_written_out(step))
        return show_step(step)


def _spread(rule: PlannedRule) -> str:
    """Over what the unbound variables of a termination range."""
    value = rule.columns[-1]
    has_open_value = isinstance(value, Var) and value.name in rule.unbound
    is_value_only = has_open_value and set(rule.unbound) == set(variables(value))
    return "any value" if is_value_only else "over the instances initiated or holding"


def _operation(step: IntervalStep) -> str:
    match step:
        case HoldsFor():
            return "intervals"
        case Union():
            return "union"
        case Intersect():
            return "intersect"
        case RelativeComplement():
            return "subtract"
        case Complement():
            return "complement"
        case Duration():
            return "duration"
        case Allen():
            return "allen"
    return "prove"


def _remark(step: IntervalStep, varies: Sequence[tuple[str, ...]]) -> str:
    match step:
        case HoldsFor():
            return ""
        case Union() | RelativeComplement() if len({frozenset(names) for names in varies}) > 1:
            return "sweep; over the instances of all variables"
        case Intersect() if _has_strangers(varies):
            return "overlaps of instances that share no variable"
        case Union() | Intersect() | RelativeComplement():
            return "sweep"
        case Complement():
            return "sweep; over all instances, from the first time-point"
        case Duration():
            return "whole intervals"
        case Allen():
            return "whole intervals; ranges by binary search, remembered as long as undecided"
    return "background engine, instance by instance"


def _has_strangers(varies: Sequence[tuple[str, ...]]) -> bool:
    """Whether a list shares no variable with those before it."""
    before: set[str] = set()
    for names in varies:
        if before and names and not before & set(names):
            return True
        before |= set(names)
    return False


def _written_out(step: Union | Intersect | RelativeComplement | Complement) -> list[str]:
    terms: list[Term] = list(step.lists)
    return [show(term) for term in terms if not isinstance(term, Var)]
