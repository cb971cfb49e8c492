"""Lines that Spark delivers block by block have the records of their file."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.retractions import Retractor
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.sources.csv_rows import Header
from holdsfor.sources.inputs import InputReader, Opened
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock
from holdsfor.spark.exchange.shuffle_rows import loads_of, sent_rows
from holdsfor.spark.input.frame_reader import FILE, ReaderSettings
from holdsfor.spark.input.lines import BLOCK, LINE, LineFile, LineReader
from holdsfor.spark.input.set_aside import FileBlock
from holdsfor.syntax.printer import show
from tests.seeds import share

COMPILED = compile_text("initiatedAt(fast(V)=true, T) :- happensAt(speed(V, Knots), T), Knots > 5.")
MAPPING = "happensAt(speed(vessel, knots), ts), op(sign)"
HEADERS = {"plain": "name,arrival,start,arg1,arg2,op", "mapped": "other;sign;vessel;knots;ts"}

POOL = range(150)

Facts = list[tuple[Any, ...]]
Aside = list[tuple[int, str, str]]


def content_of(kind: str, chance: random.Random) -> bytes:
    """Records that are retracted and inserted again at one arrival, and lines with all kinds of errors."""
    lines = [HEADERS[kind]] if kind in HEADERS else []
    for _ in range(chance.randint(1, 40)):
        sign, vessel, time = chance.choice("+++-"), chance.choice(["a", "B b", "ü"]), chance.choice(["1", "2", "x"])
        knots = chance.choice(["3", "3.0"])
        match kind:
            case "plain":
                lines.append(f'speed,1,{time},"{vessel}",{knots},{sign}')
            case "mapped":
                lines.append(f"{time};{sign};{vessel};{knots};{time}")
            case "jsonl":
                args = [vessel, json.loads(knots)]
                lines.append(json.dumps({"name": "speed", "arrival": 1, "time": time, "args": args, "op": sign}))
            case _:
                lines.append(f"{'-' if sign == '-' else ''}speed|1|{time}|{vessel}|{knots}")
    wrong = ["", "  ", "{", "nonsense", '"open', "a|b", "sail|1|1", "BYTES"]
    for _ in range(chance.randint(0, 3)):
        lines.insert(chance.randint(1, len(lines)), chance.choice(wrong))
    content = chance.choice(["\n", "\r\n"]).join(lines).encode() + chance.choice([b"", b"\n", b"\n\n"])
    return content.replace(b"BYTES", b"\xff\xfe")


def handed_over(content: bytes, chance: random.Random) -> Iterator[Any]:
    """Batches in the form of Spark: a line belongs to the block of the byte before it."""
    cuts = sorted({0, *(chance.randrange(len(content) + 1) for _ in range(chance.randint(0, 4)))})
    rows = []
    begin = 0
    for line in content.removesuffix(b"\n").split(b"\n"):
        block = max((cut for cut in cuts if cut < begin), default=0)
        rows.append({LINE: line + b"\n", FILE: 7, BLOCK: block})
        begin += len(line) + 1
    bounds = sorted({0, len(rows), *(chance.randrange(len(rows) + 1) for _ in range(chance.randint(0, 4)))})
    schema = pa.schema([(LINE, pa.binary()), (FILE, pa.int64()), (BLOCK, pa.int64())])
    yield from (pa.RecordBatch.from_pylist(rows[begin:end], schema) for begin, end in pairwise(bounds))


def on_spark(content: bytes, file: LineFile, mapping: str | None, chance: random.Random) -> tuple[Facts, Aside]:
    setting = ReaderSettings(Rules.of(COMPILED), 1, has_places=True)
    retractor = Retractor(1)
    sent = list(
        sent_rows(LineReader(setting, mapping, {7: file})(handed_over(content, chance)), retractor.shuffle_blocks)
    )
    symbols = Symbols()
    settled = [each for load in retractor.apply(loads_of(sent, symbols)) for each in load.facts]
    n_lines = {
        int(block): int(n)
        for each in settled
        if each.kind == "lines"
        for block, n in zip(each.times["block"], each.times["n_lines"], strict=True)
    }
    facts, aside = [], []
    for each in settled:
        if each.kind == "event":
            facts += facts_of(each.records(), symbols)
        elif each.kind in ("set aside", "unmatched"):
            for text, reason in zip(each.texts["text"].to_pylist(), each.texts["reason"].to_pylist(), strict=True):
                place = json.loads(text)
                n_before = sum(n for block, n in n_lines.items() if block < place["block"])
                aside.append((n_before + place["line"], place["text"], reason))
    return sorted(facts), sorted(aside)


def embedded(content: bytes, file: LineFile, mapping: str | None) -> tuple[Facts, Aside]:
    from holdsfor.sources.column_mapping import read_mapping

    input_reader = InputReader(COMPILED.names, 1, Symbols(), ColumnReading(), Clock(has_offset=True))
    input_reader.add(Opened(file.path, file.form, None if mapping is None else read_mapping(mapping), content))
    input_reader.reading.settle()
    facts = [
        fact for records in input_reader.reading.events.values() for fact in facts_of(records, input_reader.symbols)
    ]
    return sorted(facts), sorted(
        (each.line, each.text, each.reason)
        for each in (*input_reader.reading.set_aside, *input_reader.reading.unmatched)
    )


def facts_of(records: Any, symbols: Symbols) -> Facts:
    columns = [[show(term) for term in symbols.terms(column)] for column in records.columns]
    return list(zip(records.arrivals.tolist(), records.starts.tolist(), *columns, strict=True))


@pytest.mark.parametrize("kind", ["text", "jsonl", "plain", "mapped"])
def test_blocks_and_batches_do_not_change_the_records(kind: str) -> None:
    form: Any = "csv" if kind in HEADERS else kind
    delimiter = ";" if kind == "mapped" else ","
    header = Header(HEADERS[kind].split(delimiter), delimiter) if kind in HEADERS else None
    file, mapping = LineFile("f", form, header), MAPPING if kind == "mapped" else None
    n_aside = n_facts = 0
    tried = share(POOL, 50)
    for seed in tried:
        content = content_of(kind, random.Random(seed))
        expected = embedded(content, file, mapping)
        assert on_spark(content, file, mapping, random.Random(seed)) == expected, content
        n_facts, n_aside = n_facts + len(expected[0]), n_aside + len(expected[1])
    assert min(n_facts, n_aside) > len(tried)


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_null_lines_are_read_and_set_aside(form: Any) -> None:
    """A deleted key of a topic has no value."""
    record = {"text": b"speed|1|1|a|9\n", "jsonl": b'{"name": "speed", "time": 1, "args": ["a", 9]}\n'}[form]
    place = FileBlock("f", is_ordered=True, is_numbered=True)
    reader = LineReader(ReaderSettings(Rules.of(COMPILED), 1, has_places=True), place=place, form=form)
    batches = [
        pa.record_batch([pa.array(lines, pa.binary())], names=[LINE])
        for lines in ([None, record, None], [record, b"wrong\n"])
    ]
    facts = [each for batch in batches for load in reader([batch.slice(1), batch.slice(0, 1)]) for each in load.facts]
    aside = [
        (json.loads(text)["line"], json.loads(text)["text"], reason)
        for each in facts
        if each.kind == "set aside"
        for text, reason in zip(each.texts["text"].to_pylist(), each.texts["reason"].to_pylist(), strict=True)
    ]
    assert [each for each in aside if "null" in each] == [
        (2, "null", "the value is null"),
        (3, "null", "the value is null"),
    ]
    assert [(line, text) for line, text, _ in aside if text != "null"] == [(1, "wrong")]
    assert sum(each.n for each in facts if each.kind == "read") == 5
    assert sum(each.n for each in facts if each.kind == "event") == 2
