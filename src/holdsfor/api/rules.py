"""Rules of the library: an event description, to which tables can be added as background knowledge."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.analysis.pipeline import Compiled, analyse, with_programs
from holdsfor.errors import Diagnostic, Diagnostics, SetAsideWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from holdsfor.api.recognition import Input
    from holdsfor.arrow_stream import ArrowStream

__all__ = ["Areas", "Facts", "RuleSet", "rule_set"]

Areas: TypeAlias = "str | Path | Mapping[str, object]"
"""A file, GeoJSON, or geometries by name."""

Facts: TypeAlias = "str | Path | ArrowStream | Iterable[Mapping[str, object]]"
"""A file, a table or frame, or a list of dictionaries."""


class RuleSet(Compiled):
    """An event description without errors.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> isinstance(rules, hf.RuleSet)
    True
    """

    def with_facts(self, data: Facts, description: str) -> RuleSet:
        """The rules with a fact for each row of a file, a table, a frame or a list of dictionaries.

        The description is a predicate over the columns. A row that does not fit is left out, with a warning.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(loud(V), T) :- happensAt(ping(V), T), vessel(V, Length), Length > 100.")
        >>> vessels = [{"id": "ann", "length": 120}, {"id": "bob", "length": 30}]
        >>> rules = rules.with_facts(vessels, "vessel(id, length)")
        >>> hf.recognise(rules, [hf.Event("ping", "ann", at=3), hf.Event("ping", "bob", at=4)]).times
        {Struct(loud(ann)): [3]}
        """
        from holdsfor.sources.fact_tables import fact_program, read_fact_table

        found = read_fact_table(data, description)
        if found.warning is not None:
            warnings.warn(found.warning, SetAsideWarning, stacklevel=2)
        return rule_set(with_programs(self, [fact_program(found.table, found.file)]))

    def check(self, *data: Input) -> tuple[Diagnostic, ...]:
        """The warnings about the rules, and about their differences from inputs: those of `holdsfor check --input`.

        The inputs are those of `recognise`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(left(X), T) :- happensAt(move(X, 'leave-house'), T).")
        >>> [found.hint for found in rules.check([hf.Event("move", "ann", "leave_house", at=3)])]
        ['did you mean `leave_house`?']
        """
        from holdsfor.columns.encoding import Symbols
        from holdsfor.sources.column_mapping import described_fluents
        from holdsfor.sources.input_columns import input_columns, with_schema
        from holdsfor.sources.input_comparison import compare_with_input
        from holdsfor.sources.inputs import read_inputs
        from holdsfor.sources.number_checks import refuse_conflicts

        diagnostics, symbols = Diagnostics(), Symbols()
        analyse(self.programs, diagnostics, provided=described_fluents(data))
        inputs = [with_schema(each) for each in data]
        refuse_conflicts(self.names, input_columns(inputs, self.names))
        reading = read_inputs(inputs, self.names, 1, symbols)
        return (*diagnostics.of("warning"), *(compare_with_input(self, reading, symbols) if data else ()))

    def with_areas(self, data: Areas, name: str = "name") -> RuleSet:
        """The rules with areas for `in_area` and `near_area`.

        `data` is a file (GeoJSON, CSV with columns `name` and `wkt`, GeoParquet), GeoJSON as a dictionary, or
        geometries by name; `name` is the property or column with the names, as in `"areas.geojson: zone"`. Runs need
        the package shapely.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(docked(V, A), T) :- happensAt(position(V, La, Lo), T), in_area(La, Lo, A).")
        >>> rules = rules.with_areas({"port": "POLYGON ((-5 48, -4 48, -4 49, -5 49, -5 48))"})
        >>> [table.name for program in rules.programs for table in program.tables]
        ['$area']
        """
        from holdsfor.sources.area_files import read_areas
        from holdsfor.sources.fact_tables import fact_program

        file = str(data) if isinstance(data, str) else "areas"
        return rule_set(with_programs(self, [fact_program(read_areas(data, name), file)]))


def rule_set(compiled: Compiled) -> RuleSet:
    """Compiled rules with the methods of the library."""
    return RuleSet(*(getattr(compiled, each.name) for each in fields(compiled)))
