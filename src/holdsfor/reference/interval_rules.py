"""Statically determined fluents: the steps of `holdsFor` rules, one instance at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.reference.bindings import Finished, RuleBindings
from holdsfor.reference.domains import Domains
from holdsfor.reference.history import RunBounds
from holdsfor.reference.intervals import (
    INF,
    Interval,
    Intervals,
    allen,
    complement,
    intersect,
    longer_than,
    maximal,
    next_point,
    relative_complement,
    shorter_than,
    union,
)
from holdsfor.reference.matching import Binding, match
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Duration,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    RelativeComplement,
    Test,
    Union,
)
from holdsfor.syntax.terms import (
    Atom,
    Int,
    Struct,
    Term,
    Var,
    is_ground,
    list_items,
    list_term,
    name_and_arity,
    substitute,
)

__all__ = ["interval_rule_results"]


def interval_rule_results(
    rules: Iterable[IntervalRule], finished: Finished, domains: Domains, engine: Engine, run: RunBounds
) -> dict[Term, Intervals]:
    """The intervals of one fluent's FVPs by its rules: the union over all rules and all their answers."""
    found: dict[Term, list[Intervals]] = {}
    for rule in rules:
        evaluation = _Evaluation(finished, domains, engine, run)
        for binding, intervals in evaluation.results(rule):
            fvp = substitute(rule.fvp.term, binding)
            if is_ground(fvp) and domains.includes(fvp):
                found.setdefault(fvp, []).append(intervals)
    return {fvp: union(lists) for fvp, lists in found.items()}


class _Evaluation:
    """One rule. `lists` maps variables to interval lists, separately from the binding."""

    def __init__(self, finished: Finished, domains: Domains, engine: Engine, run: RunBounds) -> None:
        self.finished = finished
        self.domains = domains
        self.engine = engine
        self.run = run

    def results(self, rule: IntervalRule) -> Iterator[tuple[Binding, Intervals]]:
        """Every answer of the rule: a binding of its head and the intervals."""
        steps = [step for step in rule.body if not isinstance(step, Test | Not)]
        for binding in RuleBindings(rule, self.finished, self.domains, self.engine).all():
            for answer, lists in self.follow(steps, binding, {}):
                yield answer, self.result(rule, answer, lists)

    def result(self, rule: IntervalRule, binding: Binding, lists: dict[str, Intervals]) -> Intervals:
        """The computed intervals of the rule, or an error if a predicate computed another term."""
        assert isinstance(rule.result, Var)
        if rule.result.name in lists:
            return lists[rule.result.name]
        message = f"expected intervals `[(S,E),…]` as `{rule.result.name}`, found `{show(binding[rule.result.name])}`"
        raise ExecutionProblem(Diagnostic("HF609", message, rule.span, "the second of a pair may be `inf`"))

    def follow(
        self, steps: Sequence[IntervalStep], binding: Binding, lists: dict[str, Intervals]
    ) -> Iterator[tuple[Binding, dict[str, Intervals]]]:
        if not steps:
            yield binding, lists
            return
        for extended, more in self.take(steps[0], binding, lists):
            yield from self.follow(steps[1:], extended, {**lists, **more})

    def take(
        self, step: IntervalStep, binding: Binding, lists: dict[str, Intervals]
    ) -> Iterator[tuple[Binding, dict[str, Intervals]]]:
        def of(term: Term) -> Intervals:
            return lists[term.name] if isinstance(term, Var) else read_intervals(term, step)

        def several(terms: Sequence[Term]) -> list[Intervals]:
            return [of(term) for term in terms]

        now = next_point(self.run.end, self.run.tick)
        match step:
            case HoldsFor(fvp, result):
                yield binding, {result.name: self.intervals_of(substitute(fvp.term, binding))}
            case Union(operands, result):
                yield binding, {result.name: union(several(operands))}
            case Intersect(operands, result):
                yield binding, {result.name: intersect(several(operands))}
            case RelativeComplement(base, operands, result):
                yield binding, {result.name: relative_complement(of(base), several(operands))}
            case Complement(operands, result):
                yield binding, {result.name: complement(several(operands), self.run.first_point)}
            case Duration(comparison, intervals, bound, result, span):
                limit = self.engine.number(substitute(bound, binding), span) if of(intervals) else None
                keep = longer_than if comparison == "greater" else shorter_than
                yield binding, {result.name: () if limit is None else keep(of(intervals), limit.value, now)}
            case Allen(relation, source, target, mode, result):
                memory = self.run.allen_memory
                yield binding, {result.name: allen(relation, of(source), of(target), mode, memory)}
            case IntervalCall():
                yield from self.call(step, binding, lists)

    def intervals_of(self, pattern: Term) -> Intervals:
        """The intervals of an FVP; a variable as value stands for any value. Outside the grounding there are none."""
        assert isinstance(pattern, Struct)
        known = self.finished.get(name_and_arity(pattern.args[0]), {})
        if is_ground(pattern):
            return known.get(pattern, ()) if self.domains.includes(pattern) else ()
        return union(
            [
                intervals
                for fvp, intervals in known.items()
                if match(pattern, fvp, {}) is not None and self.domains.includes(fvp)
            ]
        )

    def call(
        self, step: IntervalCall, binding: Binding, lists: dict[str, Intervals]
    ) -> Iterator[tuple[Binding, dict[str, Intervals]]]:
        """A goal of the background knowledge, with the lists as terms `[(S,E),…]`."""
        if step.is_intervalwise:
            yield binding, {step.outputs[0]: self.call_for_each(step, binding, lists[step.inputs[0]])}
            return
        given = {name: write_intervals(lists[name]) for name in step.inputs if name in lists}
        for answer in self.engine.solve(substitute(step.goal, {**binding, **given})):
            data: Binding = {}
            found: dict[str, Intervals] = {}
            for name, term in answer.items():
                if name in step.outputs and is_interval_list(term):
                    found[name] = read_intervals(term, step)
                elif not isinstance(term, Var):
                    data[name] = term
            yield {**binding, **data}, found

    def call_for_each(self, step: IntervalCall, binding: Binding, intervals: Intervals) -> Intervals:
        """The result of an interval-wise predicate for the intervals, one by one."""
        (given,), (result,) = step.inputs, step.outputs
        found: list[Intervals] = []
        for interval in intervals:
            goal = substitute(step.goal, {**binding, given: write_intervals([interval])})
            for answer in self.engine.solve(goal):
                made = read_list(answer[result], step)
                check_begin(made, interval, step)
                found.append(made)
        return union(found)


def check_begin(made: Intervals, interval: Interval, step: IntervalCall) -> None:
    """Refuse a result that begins before its interval: that time may be settled already."""
    if made and made[0][0] < interval[0]:
        shown = show(write_intervals([interval]))
        message = f"expected intervals that begin at {interval[0]} or later, found one that begins at {made[0][0]}"
        raise ExecutionProblem(Diagnostic("HF609", f"{message}, in `{show(step.goal)}` of `{shown}`", step.span))


def read_list(term: Term, step: IntervalStep) -> Intervals:
    """The intervals of a term, which must be a list."""
    if not is_interval_list(term):
        message = f"expected intervals `[(S,E),…]`, found `{show(term)}`"
        raise ExecutionProblem(Diagnostic("HF609", message, step.span, "the second of a pair may be `inf`"))
    return read_intervals(term, step)


def write_intervals(intervals: Sequence[Interval]) -> Term:
    """The list as the term `[(S,E),…]`, with `inf` for an open end."""
    ends = [Atom("inf") if end == INF else Int(int(end)) for _, end in intervals]
    return list_term(Struct(",", (Int(start), end)) for (start, _), end in zip(intervals, ends, strict=True))


def is_interval_list(term: Term) -> bool:
    """Whether a term is a list of pairs; `read_intervals` checks the pairs."""
    items, tail = list_items(term)
    return tail == Atom("[]") and all(isinstance(item, Struct) and item.name == "," for item in items)


def read_intervals(term: Term, step: IntervalStep) -> Intervals:
    """The intervals that a term `[(S,E),…]` denotes."""
    found: list[Interval] = []
    for item in list_items(term)[0]:
        match item:
            case Struct(name=",", args=(Int(start), Int(end))):
                found.append((start, end))
            case Struct(name=",", args=(Int(start), Atom("inf"))):
                found.append((start, INF))
            case _:
                message = f"expected an interval `(S,E)`, found `{show(item)}`"
                hint = "intervals are pairs of integers, the second may be `inf`"
                raise ExecutionProblem(Diagnostic("HF609", message, step.span, hint))
    return maximal(found)
