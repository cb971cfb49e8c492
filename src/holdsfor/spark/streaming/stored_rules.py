"""The rules of a stream in its checkpoint, so that its state can be rewritten without the files of the rules."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.packed_programs import PackedColumn, PackedProgram, PackedTable
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.spark.streaming.state_files import RESTART, StreamFiles

__all__ = ["has_rules", "read_rules", "store_rules"]

_FILE = "rules.json"


def store_rules(files: StreamFiles, rules: Rules) -> None:
    """Write the rules with their goals."""
    programs = [
        {"name": each.name, "text": each.text, "tables": [_written(table) for table in each.tables]}
        for each in rules.carrier.value
    ]
    content = {"digest": rules.digest, "goals": list(rules.goals), "programs": programs}
    files.write(_FILE, json.dumps(content).encode())


def has_rules(files: StreamFiles) -> bool:
    """Whether the rules are stored."""
    return _FILE in files.names("")


def read_rules(files: StreamFiles) -> Rules | None:
    """The rules that are stored, or None."""
    if not has_rules(files):
        return None
    try:
        found: dict[str, Any] = json.loads(files.read(_FILE))
        programs = tuple(
            PackedProgram(each["name"], each["text"], tuple(map(_table, each["tables"]))) for each in found["programs"]
        )
        rules = Rules.packed(programs, tuple(found["goals"]))
        if rules.digest != found["digest"]:
            raise ValueError("the content does not have its digest")
    except (ValueError, TypeError, KeyError, zlib.error):
        message = f"the file `{_FILE}` of the checkpoint is damaged"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None
    return rules


def _written(table: PackedTable) -> Any:
    columns = [
        {"values": column.values, "codes": _text(column.codes), "are_words": column.are_words}
        for column in table.columns
    ]
    return {"place": table.place, "name": table.name, "columns": columns}


def _text(codes: Any) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(codes, "<i4").tobytes())).decode()


def _table(part: Any) -> PackedTable:
    columns = tuple(PackedColumn(each["values"], _codes(each["codes"]), each["are_words"]) for each in part["columns"])
    return PackedTable(part["place"], part["name"], columns)


def _codes(text: str) -> Any:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i4").astype(np.int32)
