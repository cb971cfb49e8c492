"""Input facts in the rule files: the driver sends them to the stages like records."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Load, facts_of_records
from holdsfor.sources.input_facts import input_fact_columns

__all__ = ["rule_fact_loads"]


def rule_fact_loads(compiled: Compiled, tick: int, symbols: Symbols | None = None) -> Iterator[Load]:
    """The input facts of the rules as one load; rules without input facts give no load."""
    symbols = Symbols() if symbols is None else symbols
    facts = [facts_of_records(key, records) for key, records in input_fact_columns(compiled.names, tick, symbols)]
    if facts:
        yield Load(facts, symbols)
