"""Rules in the form that workers receive, compiled once in every process.

The compiled form cannot be sent: it stores hashes of names, which differ between processes. Clauses are sent as text.
Large tables of facts are sent as columns (`packed_programs`), which are read much faster than text. A driver may put
the programs into a `Carrier`, such as a broadcast variable of Spark, which reaches every worker once; the functions of
a job then have only its number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.pipeline import Compiled, analyse
from holdsfor.errors import Diagnostics
from holdsfor.parallel.exchange.packed_programs import PackedProgram, pack_program, unpack_program
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["Carrier", "Inline", "Rules"]


class Carrier(Protocol):
    """Has the programs of an event description in any process."""

    @property
    def value(self) -> tuple[PackedProgram, ...]: ...


@dataclass(frozen=True)
class Inline:
    """Programs that are sent with every function that needs them."""

    value: tuple[PackedProgram, ...]

    @property
    def n_facts(self) -> int:
        """The number of facts that are columns."""
        return sum(table.n for program in self.value for table in program.tables)


@dataclass(frozen=True)
class Rules:
    """An event description by its digest, the goals to prove before a run, and the carrier of its programs."""

    digest: str
    goals: tuple[str, ...]
    carrier: Carrier = field(compare=False, repr=False)

    @staticmethod
    def of(compiled: Compiled, goals: Iterable[Term] = ()) -> Rules:
        rules = Rules.packed(tuple(map(pack_program, compiled.programs)), tuple(map(show, goals)))
        _keep(rules.digest, compiled)
        return rules

    @staticmethod
    def packed(programs: tuple[PackedProgram, ...], goals: tuple[str, ...]) -> Rules:
        """Rules by their programs, which have no errors."""
        content = sha256()
        for program in programs:
            content.update(f"{program.name}\0{program.text}\0".encode())
            content.update(b"".join(table.digest() for table in program.tables))
        return Rules(content.hexdigest(), goals, Inline(programs))

    def compiled(self) -> Compiled:
        """The compiled event description; the driver has checked that it has no errors."""
        if self.digest not in _KNOWN:
            _keep(self.digest, _compiled(self.carrier.value))
        return _KNOWN[self.digest]

    def fingerprint(self) -> str:
        """The fingerprint of the rules and goals, computed once in every process: large tables of facts take long."""
        if self not in _FINGERPRINTS:
            while len(_FINGERPRINTS) >= _MOST_KNOWN:
                del _FINGERPRINTS[next(iter(_FINGERPRINTS))]
            _FINGERPRINTS[self] = fingerprint(self.compiled(), self.goal_terms())
        return _FINGERPRINTS[self]

    def goal_terms(self) -> list[Term]:
        return [parse_term(goal) for goal in self.goals]


_KNOWN: dict[str, Compiled] = {}
_FINGERPRINTS: dict[Rules, str] = {}
_MOST_KNOWN = 4


def _keep(digest: str, compiled: Compiled) -> None:
    """Keep the compiled form of a program, so that this process does not compile it again."""
    while digest not in _KNOWN and len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    _KNOWN[digest] = compiled


def _compiled(programs: Iterable[PackedProgram]) -> Compiled:
    diagnostics = Diagnostics()
    compiled = analyse([unpack_program(program, diagnostics) for program in programs], diagnostics)
    assert compiled is not None, diagnostics.render()
    return compiled
