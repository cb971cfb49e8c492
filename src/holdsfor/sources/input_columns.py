"""The columns of inputs as places of records: their types and names, before any record is read.

The type of a column is declared: by the schema of a table, by the kind in a mapping or in a header. A field of CSV or
of a text file, and a value of JSON, may be anything, unless the mapping declares its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names, Record
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType, type_of
from holdsfor.sources import column_mapping
from holdsfor.sources.column_kinds import ColumnKind, split_kind
from holdsfor.sources.column_roles import columns_by_role
from holdsfor.sources.csv_rows import read_header
from holdsfor.sources.formats import TABLES, Format, format_of_suffix
from holdsfor.sources.input_streams import frame_table, is_table_stream
from holdsfor.sources.inputs import split_input
from holdsfor.sources.python_objects import Event, Fluent
from holdsfor.sources.typed_columns import is_text_type
from holdsfor.syntax.terms import Atom, Var

__all__ = [
    "arrow_types",
    "input_columns",
    "is_untyped",
    "line_columns",
    "merged_columns",
    "schema_columns",
    "type_of_column",
    "with_schema",
]

_LONGEST_HEADER = 1 << 16


def input_columns(inputs: Iterable[object], names: Names, form: Format | None = None) -> dict[Place, InputColumn]:
    """The columns of all inputs, by the places of their records.

    Contract: inputs are those of `with_schema`.
    """
    found: dict[Place, InputColumn] = {}
    for each in inputs:
        found = merged_columns(found, _columns(each, names, form))
    return found


def merged_columns(some: Mapping[Place, InputColumn], others: Mapping[Place, InputColumn]) -> dict[Place, InputColumn]:
    """The columns of two inputs."""
    return {
        **some,
        **{place: some[place] | column if place in some else column for place, column in others.items()},
    }


def with_schema(each: object) -> object:
    """An input whose columns are known before its records are read: frames as tables, one-time iterators as lists."""
    if isinstance(each, tuple) and len(each) == 2 and not isinstance(each[0], Event | Fluent):
        return with_schema(each[0]), each[1]
    if _schema_of(each) is not None or is_table_stream(each):
        return each
    if hasattr(each, "__arrow_c_stream__"):
        return frame_table(each)
    is_one = isinstance(each, str | Path | bytes | dict | Event | Fluent)
    return list(each) if isinstance(each, Iterable) and not is_one else each


def _schema_of(source: object) -> Any:
    """The schema of an Arrow table or stream, None for anything else."""
    is_lazy = hasattr(source, "collect")  # a lazy frame would compute its schema
    schema = None if is_lazy else getattr(source, "projected_schema", None) or getattr(source, "schema", None)
    return schema if isinstance(schema, pa.Schema) else None


def is_untyped(each: object) -> bool:
    """Whether an input is a list of records as objects or lines: any record, with constants of any type."""
    return isinstance(each, Event | Fluent | list)


def schema_columns(
    schema: Mapping[str, Any], mapping: column_mapping.Mapping | Mapping[str, str] | None, names: Names
) -> dict[Place, InputColumn]:
    """The columns of a table with these Arrow types, with a mapping, with roles, or with the columns of records."""
    if isinstance(mapping, column_mapping.Mapping):
        return dict(_mapped(mapping, schema))
    roles: dict[str, tuple[str | None, str, ColumnKind | None]]
    if mapping is None:
        roles = {split_kind(column)[0]: (None, column, split_kind(column)[1]) for column in schema}
    else:
        roles = {
            split_kind(role)[0]: (column, column, split_kind(role)[1])
            for role, column in columns_by_role(mapping, list(schema)).items()
        }
    types = {role: InputColumn(type_of_column(schema[own], kind), name) for role, (name, own, kind) in roles.items()}
    return dict(_of_all_records(names.records, types))


def type_of_column(arrow_type: Any, kind: ColumnKind | None) -> ConstantType:
    """The types of the constants in a column of an Arrow type; None is a column without a declared type."""
    if kind == "text":
        return ConstantType.TEXT
    if kind in ("time", "integer"):
        return ConstantType.INTEGER
    is_text = arrow_type is None or is_text_type(arrow_type) or pt.is_string_view(arrow_type)
    if is_text and kind is not None:
        return ConstantType.NUMBER if kind == "number" else ConstantType.ANY
    if arrow_type is None:
        return ConstantType.ANY
    arrow_type = arrow_type.value_type if pt.is_dictionary(arrow_type) else arrow_type
    is_whole = pt.is_decimal(arrow_type) and arrow_type.scale <= 0
    if is_whole or pt.is_integer(arrow_type) or pt.is_timestamp(arrow_type):
        return ConstantType.INTEGER
    if pt.is_floating(arrow_type) or pt.is_decimal(arrow_type):
        return ConstantType.FLOAT
    if pt.is_null(arrow_type):
        return ConstantType.NOTHING
    is_plain = is_text or pt.is_boolean(arrow_type) or pt.is_date(arrow_type)
    return ConstantType.TEXT if is_plain else ConstantType.ANY


def _columns(each: object, names: Names, form: Format | None) -> dict[Place, InputColumn]:
    if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], dict):
        schema = _schema_of(each[0])
        return {} if schema is None else schema_columns(arrow_types(schema), each[1], names)
    source, mapping = split_input(each)
    if (schema := _schema_of(source)) is not None:
        return schema_columns(arrow_types(schema), mapping, names)
    file = str(source) if isinstance(source, str | Path) else ""
    form = form or format_of_suffix(file)
    if form in TABLES:
        schema = _schema_of_file(file, form)
        return {} if schema is None else schema_columns(arrow_types(schema), mapping, names)
    return line_columns(mapping, None if mapping is not None else _header(file), names)


def line_columns(
    mapping: column_mapping.Mapping | None, header: Sequence[str] | None, names: Names
) -> dict[Place, InputColumn]:
    """The columns of lines, with a mapping, with the columns of a header, or of records of any kind."""
    if mapping is not None:
        return dict(_mapped(mapping, {}))
    if header is not None:
        return schema_columns(dict.fromkeys(header), None, names)
    every = max((record.arity for record in names.records), default=0)
    untyped = {role: InputColumn(ConstantType.ANY) for role in ("value", *(f"arg{i + 1}" for i in range(every)))}
    return dict(_of_all_records(names.records, untyped))


def _mapped(mapping: column_mapping.Mapping, schema: Mapping[str, Any]) -> Iterator[tuple[Place, InputColumn]]:
    for role, term in mapping.columns.items():
        place = _place(mapping.record, role)
        if place is None:
            continue
        if isinstance(term, Atom | Var):
            types = type_of_column(schema.get(term.name), mapping.kinds.get(role))
            types |= ConstantType.TEXT if role in mapping.optional else ConstantType.NOTHING
            yield place, InputColumn(types, term.name, is_described=True)
        else:
            yield place, InputColumn(type_of(term), is_described=True)


def _of_all_records(
    records: Sequence[Record], columns: Mapping[str, InputColumn]
) -> Iterator[tuple[Place, InputColumn]]:
    for record in records:
        for role in (*(f"arg{i + 1}" for i in range(record.arity)), "value"):
            place = _place(record, role)
            if place is not None and role in columns:
                yield place, columns[role]


def _place(record: Record, role: str) -> Place | None:
    """The place of a record that a column fills; None for other columns, such as times."""
    if role == "value":
        return None if record.shape == "event" else (record.name, record.arity, "value")
    return (record.name, record.arity, int(role[3:]) - 1) if role.startswith("arg") and role[3:].isdigit() else None


def arrow_types(schema: Any) -> dict[str, Any]:
    """The Arrow types of columns, and of the fields inside them, by name."""
    found: dict[str, Any] = {}
    fields = [("", field) for field in schema]
    while fields:
        prefix, field = fields.pop(0)
        found.setdefault(f"{prefix}{field.name}", field.type)
        if pt.is_struct(field.type):
            fields += [(f"{prefix}{field.name}.", inner) for inner in field.type]
    return found


def _schema_of_file(file: str, form: str | None) -> Any:
    """The schema of a Parquet, ORC or Arrow file; None if the file cannot be read, which is reported when it is."""
    import pyarrow.orc  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    try:
        if form == "parquet":
            return pyarrow.parquet.read_schema(file)
        return pyarrow.orc.ORCFile(file).schema if form == "orc" else pa.ipc.open_file(file).schema
    except (OSError, pa.ArrowInvalid):
        return None


def _header(file: str) -> list[str] | None:
    """The columns in the header of a CSV file; None for other files, pipes and standard input."""
    path = Path(file)
    if not file or not path.is_file() or path.suffix == ".gz":
        return None
    with path.open("rb") as opened:
        text = opened.read(_LONGEST_HEADER).decode("utf-8-sig", errors="replace")
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    header = read_header(line, None)
    return None if header is None else header.columns
