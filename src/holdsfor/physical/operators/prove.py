"""Goals that the background engine proves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.keys import dense_ids, expand_ranges
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator, Ranges
from holdsfor.physical.operators.scalar import Binding, NotScalar, ScalarCompiler, ScalarOperator
from holdsfor.physical.ownership import Owned
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from holdsfor.prolog.problems import shown
from holdsfor.syntax.terms import Struct, Term, Var, is_ground, name_and_arity, substitute

__all__ = ["Prove"]

OPEN_WORD = -(2**63)
"""The word of a variable that a goal leaves unbound; no constant has this word."""

_CACHED_INPUTS = 4_096  # answers kept, besides twice the number of current inputs


@dataclass(frozen=True)
class Prove(Operator):
    """A goal for the background engine, proved once per distinct input; answers are kept.

    Answers of a goal that is not `is_stable` depend on dynamic domains. If they depend only on the `members`, over the
    inputs, they are kept with the memberships; otherwise until a domain changes. Inputs that do not recur are dropped
    after a while: a stream of measurements has new ones all the time. Unless it
    `is_sure`, the goal may leave outputs unbound, or need their values if it `is_needing`. Such an output takes all
    values of its operator in `ranges`, and the goal is proved again with each value. Without such an operator this is
    an error, unless the output is in `stays_open`.
    """

    goal: Term
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    is_stable: bool
    is_sure: bool = True
    is_needing: bool = False
    members: tuple[Struct, ...] | None = None
    ranges: Ranges = ()
    stays_open: frozenset[str] = frozenset()
    _answers: dict[tuple[int, ...], list[tuple[int, ...]]] = field(default_factory=dict, repr=False, compare=False)
    _version: list[int] = field(default_factory=list, repr=False, compare=False)

    # -- bound columns
    # ---------------------------------------------------------------------------------------------------

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(self.outputs)

    @property
    def enumerates_head(self) -> bool:
        return bool(self.ranges)

    def reads_from(self, own: Owned) -> bool:
        return any(operator.reads_from(own) for _, operator in self.ranges)

    @property
    def reads_affected(self) -> bool:
        return any(operator.reads_affected for _, operator in self.ranges)

    def with_ranges(self, ranges: Ranges) -> Prove:
        return self if self.is_sure else replace(self, ranges=ranges)

    def leaving_open(self, names: frozenset[str]) -> Prove:
        return self if self.is_sure else replace(self, stays_open=names)

    # -- on rows -------------------------------------------------------------------------------------------------------

    def run(self, rows: Rows, context: Context) -> Rows:
        ids, first = dense_ids([rows.columns[name] for name in self.inputs], rows.n)
        distinct = Rows(len(first), {name: rows.columns[name][first] for name in self.inputs})
        keys = self.keys(distinct if self.inputs else one_row(), context)
        answers = [self.answers(key, context) for key in keys]
        if len(self._answers) > _CACHED_INPUTS + 2 * max(len(keys), self.n_members(context)):
            self._answers.clear()
            self._answers.update(zip(keys, answers, strict=True))
        counts = np.array([len(found) for found in answers], dtype=np.int64)
        owner, position = expand_ranges((np.cumsum(counts) - counts)[ids], counts[ids])
        flat = [answer for found in answers for answer in found]
        table = np.array(flat, dtype=np.int64).reshape(len(flat), len(self.outputs))
        more = {name: table[position, i] for i, name in enumerate(self.outputs)}
        found = rows.take(owner).with_columns(more)
        return found if self.is_sure else self.with_values(found, context)

    def keys(self, inputs: Rows, context: Context) -> list[tuple[int, ...]]:
        """The words of the inputs, followed by a number for each member: 1 if it exists."""
        columns = [inputs.columns[name] for name in self.inputs]
        if not self.is_stable:
            context.synchronise()
            columns += [_is_member(atom, inputs, context).astype(np.int64) for atom in self.members or ()]
            if self.members is None and self._version != [context.version]:
                self._answers.clear()
                self._version[:] = [context.version]
        return list(zip(*(column.tolist() for column in columns), strict=True)) if columns else [()]

    def n_members(self, context: Context) -> int:
        """The size of the largest domain that the answers depend on: each of its members may recur."""
        return max((context.facts(name_and_arity(atom)).n for atom in self.members or ()), default=0)

    def with_values(self, rows: Rows, context: Context) -> Rows:
        """The rows, with values for unbound outputs."""
        outputs = [name for name in self.outputs if name not in self.stays_open]
        masks = np.array([rows.columns[name] == OPEN_WORD for name in outputs], dtype=bool).reshape(
            len(outputs), rows.n
        )
        parts: list[Rows] = []
        for mask in {tuple(column) for column in masks.T.tolist()}:
            names = [name for name, is_missing in zip(outputs, mask, strict=True) if is_missing]
            is_alike = np.all(np.equal(masks.T, np.array(mask, dtype=bool)), axis=1)
            alike = np.flatnonzero(is_alike)
            parts.append(self.ranging(rows.take(alike), names, context) if names else rows.take(alike))
        return concatenate_rows([part.keep(list(rows.columns)) for part in parts]) if parts else rows

    def ranging(self, rows: Rows, names: Sequence[str], context: Context) -> Rows:
        """The rows with all values of unbound outputs for which the goal can be proved."""
        ranges = dict(self.ranges)
        known = [name for name in rows.columns if name not in names]
        ranged = [name for name in names if name in ranges]
        if not ranged:
            raise self.problem(names[0])
        rows = rows.keep(known)
        for name in ranged:
            rows = rows if name in rows.columns else ranges[name].run(rows, context)
        outputs = tuple(name for name in names if name not in ranged)
        inputs = tuple(name for name in (*self.inputs, *self.outputs) if name not in outputs)
        again = Prove(self.goal, inputs, outputs, self.is_stable, is_sure=not outputs, members=self.members)
        return again.run(rows.keep([*known, *ranged]).distinct(), context)

    def problem(self, name: str) -> ExecutionProblem:
        span = None if isinstance(self.goal, Var) else self.goal.span
        message = f"`{name}` has no value after `{shown(self.goal)}`"
        hint = f"bind `{name}` by another condition of the same rule"
        return ExecutionProblem(Diagnostic("HF602", message, span, hint))

    def answers(self, key: tuple[int, ...], context: Context) -> list[tuple[int, ...]]:
        known = self._answers.get(key)
        if known is None:
            symbols = context.symbols
            given = {name: symbols.term(word) for name, word in zip(self.inputs, key, strict=False)}
            found = (
                tuple(_word(answer[name], symbols) for name in self.outputs)
                for answer in context.engine.solve(substitute(self.goal, given))
            )
            n_before = context.engine.n_faults
            known = list(self.unless_it_needs_values(found))
            if context.engine.n_faults == n_before:  # a run of another session must note them again
                self._answers[key] = known
        return known

    def unless_it_needs_values(self, answers: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], None]:
        """The answers, each once; one answer with unbound outputs for a goal that needs the value of an output."""
        try:
            return dict.fromkeys(answers)
        except ExecutionProblem as problem:
            if not (self.is_needing and self.ranges) or all(each.code != "HF602" for each in problem.diagnostics):
                raise
            return {(OPEN_WORD,) * len(self.outputs): None}

    # -- on single bindings --------------------------------------------------------------------------------------------

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        if not set(self.inputs) <= bound or not (self.is_stable and self.is_sure):
            raise NotScalar
        bound.update(self.outputs)
        inputs, outputs, context = self.inputs, self.outputs, compiler.context

        def run(bindings: list[Binding]) -> list[Binding]:
            found: list[Binding] = []
            for b in bindings:
                for answer in self.answers(tuple(b[name] for name in inputs), context):
                    found.append({**b, **dict(zip(outputs, answer, strict=True))} if outputs else b)
            return found

        return run

    @property
    def _lifetime(self) -> str:
        """How long answers are kept, if not for the whole run."""
        return "" if self.is_stable or self.members is not None else ", until a domain changes"

    # -- in words ------------------------------------------------------------------------------------------------------

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        inputs = f", once per distinct {wording.names(self.inputs)}" if self.inputs else ""
        how = f"background engine{inputs}{self._lifetime}"
        return Description("prove", wording.show(self.goal), how, self.binds(wording, bound, is_timed=is_timed))


def _is_member(atom: Struct, rows: Rows, context: Context) -> NDArray[np.bool_]:
    """Whether the instances of an atom are members of its domain."""
    columns = [build(argument, rows, context.symbols) for argument in atom.args]
    return context.facts(name_and_arity(atom)).has(columns, rows.n)


def _word(term: Term, symbols: Symbols) -> int:
    return symbols.word(term) if is_ground(term) else OPEN_WORD
