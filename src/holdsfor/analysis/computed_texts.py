"""The decision whether a rule cannot compute with a record: `n/a` as a speed, or 0 as a divisor. It is set aside.

The decision depends on the record and the rules only, so it is the same in every order, window and process:

- A rule computes with a text of the record if the record matches an event or FVP in a condition of the rule, and an
  atemporal condition of the rule has the text in arithmetic. Atemporal conditions that are written before the
  arithmetic guard it: if one of them fails for the record, the rule does not apply. Other events and fluents of the
  rule are not considered, neither are domains that the input fills.
- If the rule does not compute with the text, but passes it to its head, the head is considered in the same way.
- A text that a rule expects (a constant in a condition, `X = unknown`, a fact of the background knowledge) is no
  mistake of the record, and does not set it aside.
- A number with which the arithmetic of a rule has no value (`X mod 2` for 3.5, `10 / X` for 0) is treated in the same
  way, if the record alone decides that. An operand that also depends on other records or facts is not considered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import cached_property
from itertools import islice

from holdsfor.analysis.number_risks import Risk, bound_value, clause_risks, fault_of, risks_of
from holdsfor.analysis.patterns import anonymous, pattern_name
from holdsfor.analysis.text_uses import (
    ComputedFields,
    Step,
    Use,
    arithmetic_variables,
    computing_arguments,
    is_computing,
    uses_of,
)
from holdsfor.errors import ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.prolog.background import background_database, called_predicates
from holdsfor.prolog.functions import CONSTANTS
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity, substitute, variables

__all__ = ["ComputedTexts", "is_no_number"]

Binding = dict[str, Term]

_NEGATIONS = frozenset([("\\+", 1), ("not", 1), ("forall", 2)])
_MAX_STEPS = 100_000
_MAX_SOLUTIONS = 1_000
_MAX_TERMS = 1_000


class _Outcome(Enum):
    HOLDS = auto()
    FAILS = auto()
    COMPUTES = auto()
    UNKNOWN = auto()


def is_no_number(term: Term) -> bool:
    """Whether arithmetic with a constant of a record is an error.

    >>> is_no_number(Atom("n/a")), is_no_number(Atom("pi"))
    (True, False)
    """
    return isinstance(term, Atom) and term.name not in CONSTANTS


class ComputedTexts:
    """The texts of records with which rules compute.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> rules = "happensAt(fast(V), T) :- happensAt(speed(V, Kmh), T), Kmh > 50."
    >>> texts = ComputedTexts(compile_text(rules).description)
    >>> texts.found_in(Struct("speed", (Atom("bus 7"), Atom("n/a"))))
    Atom(name='n/a')
    """

    def __init__(self, description: EventDescription) -> None:
        self._description = description

    @cached_property
    def _uses(self) -> dict[tuple[str, int], list[Use]]:
        found: dict[tuple[str, int], list[Use]] = {}
        for use in uses_of(self._description):
            found.setdefault(pattern_name(use.pattern), []).append(use)
        return found

    @cached_property
    def _fields(self) -> ComputedFields:
        computing = computing_arguments(self._description.background)
        return ComputedFields.of((use for uses in self._uses.values() for use in uses), computing)

    @property
    def is_used(self) -> bool:
        """Whether rules compute with any field."""
        return bool(self._fields.computed)

    def computed(self, name: str, arity: int) -> list[int | str]:
        """The positions of the fields with which rules compute."""
        return [at for at in (*range(arity), "value") if (name, arity, at) in self._fields.computed]

    def relevant(self, name: str, arity: int) -> list[int | str]:
        """The positions of the fields on which the decision depends."""
        return [at for at in (*range(arity), "value") if (name, arity, at) in self._fields.relevant]

    @cached_property
    def _risks(self) -> dict[tuple[str, int], set[Risk]]:
        clauses = clause_risks(self._description.background)
        return risks_of((use for uses in self._uses.values() for use in uses), clauses)

    def risks(self, name: str, arity: int) -> set[Risk]:
        """The operands of arithmetic that may have no value, over variables named by the positions of fields."""
        return self._risks.get((name, arity), set())

    def found_in(self, record: Term) -> Atom | str | None:
        """A text of an event or FVP with which a rule computes, and that no rule expects.

        If there is none, but a rule cannot compute with a number, the reason as a sentence.
        """
        computed: dict[Atom | str, None] = {}
        expected: set[Atom] = set()
        seen: set[Term] = set()
        waiting = deque([record])
        while waiting and len(seen) < _MAX_TERMS:
            term = waiting.popleft()
            if term in seen:
                continue
            seen.add(term)
            for use in self._uses.get(pattern_name(term), ()):
                binding = _matched(use.pattern, term, expected)
                if binding is not None and not self._walk(use.steps, binding, computed, expected):
                    waiting.extend(self._passed_on(use.heads, binding))
        found = [text for text in computed if text not in expected]
        return next((text for text in found if isinstance(text, Atom)), found[0] if found else None)

    def _passed_on(self, heads: tuple[Term, ...], binding: Binding) -> Iterator[Term]:
        """The heads with the constants of the binding, if they have a text in a field with which rules compute."""
        for head in heads:
            name, arity = pattern_name(head)
            has_text = any(is_no_number(binding[x]) for x in variables(head) if x in binding)
            if self.risks(name, arity) or (has_text and self.computed(name, arity)):
                yield anonymous(substitute(head, binding))

    def _walk(
        self, steps: tuple[Step, ...], binding: Binding, computed: dict[Atom | str, None], expected: set[Atom]
    ) -> bool:
        """Go through the conditions; whether a condition fails or cannot be computed, so that the rule ends there.

        The binding gets the values that the conditions compute.
        """
        for step in steps:
            self._walk(step.branch, dict(binding), computed, expected)
            texts: list[Term | str] = [binding[name] for name in step.computed if name in binding]
            if step.goal is not None:
                if (value := bound_value(step.goal, binding)) is not None:
                    binding.setdefault(*value)
                outcome, texts = self._outcome(step.goal, binding)
                if outcome is _Outcome.FAILS:
                    return True
                if outcome is _Outcome.HOLDS:
                    expected.update(_expected_by(step.goal, binding))
            found = [text for text in texts if isinstance(text, str) or (isinstance(text, Atom) and is_no_number(text))]
            computed.update(dict.fromkeys(found))
            if found:
                return True
        return False

    def _outcome(self, goal: Term, binding: Binding) -> tuple[_Outcome, list[Term | str]]:
        """The outcome of a goal for the binding, and the texts with which it computes, or why it cannot compute."""
        names = variables(goal)
        texts = [binding[name] for name in names if name in binding and is_no_number(binding[name])]
        if not any(name in binding for name in names):
            return _Outcome.UNKNOWN, []
        in_arithmetic: list[Term | str] = [
            binding[name] for name in arithmetic_variables(goal) if name in binding and is_no_number(binding[name])
        ]
        if is_computing(goal) and not in_arithmetic and (fault := fault_of(goal, binding)) is not None:
            return _Outcome.COMPUTES, [_reason(fault.message, goal)]
        is_open = any(name not in binding for name in names)
        if is_computing(goal) and (in_arithmetic or is_open):
            return (_Outcome.COMPUTES if in_arithmetic else _Outcome.UNKNOWN), in_arithmetic
        if not self._is_known(goal):
            return (_Outcome.COMPUTES, in_arithmetic) if in_arithmetic else (_Outcome.UNKNOWN, [])
        n_most = _MAX_SOLUTIONS if self._may_compute(goal) else 1
        try:
            n = sum(1 for _ in islice(self._engine.solve(substitute(goal, binding)), n_most))
        except ExecutionProblem as problem:
            return self._of_problem(problem, goal, texts, in_arithmetic)
        if n == 0 and is_open and _has_negation(goal):
            return _Outcome.UNKNOWN, []
        return (_Outcome.HOLDS if n else _Outcome.FAILS), []

    def _of_problem(
        self, problem: ExecutionProblem, goal: Term, texts: list[Term], in_arithmetic: list[Term | str]
    ) -> tuple[_Outcome, list[Term | str]]:
        """The outcome of a goal that cannot be proved: a text or number with which it cannot compute, or a variable."""
        first = next(iter(problem.diagnostics))
        if first.code == "HF603" and first.message.startswith("expected a"):
            named: list[Term | str] = [text for text in texts if _is_named(text, first.message)]
            if named:
                return _Outcome.COMPUTES, named
        if first.code == "HF604" or first.message.startswith("expected an integer, found `"):
            return _Outcome.COMPUTES, [_reason(first.message.rpartition(" in `")[0], goal)]
        if in_arithmetic and first.code == "HF602":
            return _Outcome.COMPUTES, in_arithmetic
        return _Outcome.UNKNOWN, []

    # -- background knowledge ------------------------------------------------------------------------------------------

    @cached_property
    def _engine(self) -> Engine:
        return Engine(background_database(self._description), max_steps=_MAX_STEPS)

    @cached_property
    def _clauses(self) -> dict[tuple[str, int], list[Term]]:
        """The bodies of the clauses of each predicate."""
        found: dict[tuple[str, int], list[Term]] = {}
        for item in self._description.background:
            if isinstance(item, Clause) and item.body is not None:
                found.setdefault(name_and_arity(item.head), []).append(item.body)
        return found

    @cached_property
    def _changing(self) -> set[tuple[str, int]]:
        """The predicates that the input or a start-up goal may change."""
        description = self._description
        found = {name_and_arity(domain) for domain in description.dynamic_domains}
        found |= {name_and_arity(collected.domain) for collected in description.collected}
        return found | set(description.dynamic_predicates) | {("grounding", 1), ("queryTime", 1)}

    def _may_compute(self, goal: Term) -> bool:
        return bool(arithmetic_variables(goal)) or any(
            name_and_arity(c) in self._clauses for c in called_predicates(goal)
        )

    def _is_known(self, goal: Term) -> bool:
        """Whether the answers of a goal follow from the background knowledge of the rules."""
        seen: set[tuple[str, int]] = set()
        stack = [goal]
        while stack:
            for call in called_predicates(stack.pop()):
                key = name_and_arity(call)
                if key in self._changing:
                    return False
                if key not in seen:
                    seen.add(key)
                    stack.extend(self._clauses.get(key, ()))
        return True


def _matched(pattern: Term, term: Term, expected: set[Atom]) -> Binding | None:
    """The constants of a term for the variables of a pattern; texts of the pattern are added to the expected ones."""
    binding: Binding = {}
    texts: list[Atom] = []
    pairs = [(pattern, term)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(right, Var):
            continue
        if isinstance(left, Var):
            if binding.setdefault(left.name, right) != right:
                return None
        elif isinstance(left, Struct) and isinstance(right, Struct):
            if left.name != right.name or len(left.args) != len(right.args):
                return None
            pairs.extend(zip(left.args, right.args, strict=True))
        elif left != right:
            return None
        elif isinstance(left, Atom):
            texts.append(left)
    expected.update(texts)
    return binding


def _expected_by(goal: Term, binding: Mapping[str, Term]) -> Iterator[Atom]:
    """The texts of the binding that a goal which holds expects: an equation, or a call of a predicate of the rules."""
    is_equation = isinstance(goal, Struct) and goal.name in ("=", "==")
    calls = [goal] if is_equation else list(called_predicates(goal))
    if isinstance(goal, Struct) and (is_equation or calls == [goal]):
        for arg in goal.args:
            found = binding.get(arg.name) if isinstance(arg, Var) else None
            if isinstance(found, Atom):
                yield found


def _reason(message: str, goal: Term) -> str:
    """The reason for setting a record aside with whose numbers a goal has no value."""
    what, _, found = message.partition(", found ")
    return f"{what} in `{show(goal)}`" + (f", found {found}" if found else "")


def _is_named(text: Term, message: str) -> bool:
    return isinstance(text, Atom) and any(f"found `{shown}`" in message for shown in (text.name, show(text)))


def _has_negation(goal: Term) -> bool:
    stack = [goal]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            if name_and_arity(here) in _NEGATIONS or here.name in ("->", "*->"):
                return True
            stack.extend(here.args)
    return False
