"""The fast readers give exactly the records of the slow reader.

Messy texts find bugs in splitting (line breaks, blanks, blocks), in the classification of lines by name and number of
fields, and in retractions of records in another block or file; numerals find bugs in the arithmetic on bytes. Real and
generated files have many names and shapes in one file.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdsfor.analysis.names import Names
from holdsfor.analysis.pipeline import compile_files
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostics
from holdsfor.generators import MODELS, model_of, pieces, to_table, write_parquet, write_text
from holdsfor.sources import text_columns, whole_lines
from holdsfor.sources.fields import read_field
from holdsfor.sources.live_reading import LiveReading
from holdsfor.sources.numerals import Lexicon, fields_of, words_of
from holdsfor.sources.text_columns import ColumnReading, read_columns, read_table
from holdsfor.sources.text_records import Fact, Reading, SetAside, read_text_records
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term
from tests.seeds import examples

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))

NAMES = Names(
    output_events=[parse_term(text) for text in ("done(X)", "p(A, B, C, D)")],
    used_events=[parse_term(text) for text in ("p(X)", "p(X, Y)", "tick", "'ö'(X)", "'-n'(X)", "done(X)")],
    simple=[parse_term("rich(X) = true")],
    static=[parse_term("happy(X) = true")],
    declared_inputs=[(parse_term("at(X) = V"), "points"), (parse_term("p = V"), "points")],
    used_fvps=[parse_term("near(X, Y) = V"), parse_term("noon = V"), parse_term("rich(X) = V")],
)

Outcome = tuple[int, Counter[str], list[SetAside], set[tuple[int, Fact]]]
Texts = list[tuple[str, bytes]]


def outcome_of_slow_reader(texts: Texts, names: Names, tick: int) -> Outcome:
    reading = Reading()
    for file, content in texts:
        read_text_records(content.decode("utf-8-sig").split("\n"), file, names, tick, reading)
    standing: dict[Fact, set[int]] = {}
    for arrival, _, is_retraction, fact, _ in sorted(reading._operations, key=lambda operation: operation[:2]):
        if is_retraction:
            standing.pop(fact, None)
        else:
            standing.setdefault(fact, set()).add(arrival)
    assert set(reading.facts()) == set(standing)
    records = {(arrival, fact) for fact, arrivals in standing.items() for arrival in arrivals}
    return reading.n_records, reading.unused, reading.set_aside + reading.unmatched, records


def outcome_of_fast_reader(texts: Texts, names: Names, tick: int) -> Outcome:
    reading, symbols = ColumnReading(), Symbols()
    for file, content in texts:
        read_columns(content, file, names, tick, symbols, reading)
    return outcome(reading, symbols)


def outcome(reading: ColumnReading, symbols: Symbols) -> Outcome:
    reading.settle()
    return reading.n_records, reading.unused, reading.set_aside + reading.unmatched, records_of(reading, symbols)


def records_of(reading: ColumnReading, symbols: Symbols) -> set[tuple[int, Fact]]:
    found: set[tuple[int, Fact]] = set()
    for (name, arity), records in reading.events.items():
        assert records.ends is None
        assert len(records.columns) == arity
        rows = (
            zip(*(symbols.terms(column) for column in records.columns), strict=True) if arity else iter(lambda: (), 1)
        )
        for arrival, start, args in zip(records.arrivals.tolist(), records.starts.tolist(), rows, strict=False):
            found.add((arrival, Fact(entity(name, args), None, start, start)))
    for (name, arity), records in reading.fluents.items():
        assert records.ends is not None
        assert len(records.columns) == arity + 1
        times = (records.arrivals.tolist(), records.starts.tolist(), records.ends.tolist())
        for arrival, start, end, *row in zip(*times, *(symbols.terms(c) for c in records.columns), strict=True):
            found.add((arrival, Fact(entity(name, row[:-1]), row[-1], start, end)))
    return found


def entity(name: str, args: Iterable[Term]) -> Term:
    args = tuple(args)
    return Struct(name, args) if args else Atom(name)


# -- text --------------------------------------------------------------------------------------------------------------

ODD_FIELDS = [
    *[
        "",
        " ",
        "-",
        "+1",
        "003",
        "-0",
        "-01",
        "0",
        "00",
        "1.",
        ".5",
        "-.5",
        "1.50",
        "-0.0",
        "0.0",
        "00.5",
        "1..2",
        "1.2.3",
    ],
    *[
        "1e5",
        "1E-3",
        "-1.5e+300",
        "1e999",
        "1.5e",
        "nan",
        "inf",
        "0x10",
        "1_000",
        "٣",
        "1٣",
        " 7 ",
        "\t7",
        "7\u00a0",
        "\u3000",
    ],
    *["562949953421311", "562949953421312", "-562949953421312", "-562949953421313", "9007199254740993.0"],
    *["9223372036854775807", "9223372036854775808", "-9223372036854775808", "99999999999999999999", "1" * 40],
    *["0.1234567890123456789", "123456789.1234567890123456789012", "348.630000000", "-4.4657183333333336"],
    *[
        "chris",
        "Chris",
        "f(a,1)",
        "f(X)",
        "f(",
        "'a b'",
        '"text"',
        "a.b",
        "été",
        "x\x1fy",
        "\x00",
        "1\x00",
        "\ufeff1",
        "[a]",
    ],
]
fields = st.sampled_from(ODD_FIELDS) | st.text(max_size=8) | st.integers().map(str) | st.floats().map(repr)
times = st.integers(-3, 12).map(str) | st.integers(-(10**20), 10**20).map(str) | fields
names = st.sampled_from(
    ["p", "p", "at", "near", "noon", "tick", "ö", "done", "rich", "happy", "sleep", "-n", "", "p ", "\tp", " at", "pé"]
)


@st.composite
def lines(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["", "", "", "", "-", " -", "- ", "--"]))
    plain = st.integers(-3, 12).map(str)
    begin = [sign + draw(names), draw(plain | times), draw(plain | times)]
    begin += draw(st.lists(plain | fields, max_size=4))
    return "|".join(begin)


@st.composite
def repeated_lines(draw: st.DrawFn) -> str:
    """Few different records, so that retractions have records to retract."""
    sign = draw(st.sampled_from(["", "", "-"]))
    arrival = draw(st.integers(0, 6))
    return sign + draw(
        st.sampled_from(["p|{}|4|a", "at|{}|2|1.50|a", "at|{}|2|1.5|a", "near|{}|2|4|t|a|b", "tick|{}|8"])
    ).format(arrival)


breaks = st.sampled_from(
    ["\n"] * 12 + ["\r\n"] * 3 + ["\r", "\n\n", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\n \n"]
)


@st.composite
def texts(draw: st.DrawFn) -> Texts:
    found = []
    kind = draw(
        st.sampled_from([lines(), lines(), repeated_lines(), lines() | repeated_lines() | st.text(max_size=20)])
    )
    odd = draw(st.booleans())
    for i in range(draw(st.integers(1, 3))):
        some = draw(st.lists(kind, max_size=12))
        text = "".join(line + (draw(breaks) if odd else "\n") for line in some)
        text = draw(st.sampled_from(["", "", "\ufeff"])) + text
        text = text if draw(st.booleans()) else text.rstrip("\n")
        found.append((f"file{i}", text.encode("utf-8", "replace")))
    return found


@given(texts(), st.sampled_from([1, 2, 4]), st.sampled_from([1, 24, 200, 1 << 20]))
@settings(max_examples=examples(100))
@example([("f", b"p|1|9223372036854775806|1|\n")], 1, 1 << 20)
@example([("f", b"p|1|2\r\r\np|1|2\n")], 1, 1 << 20)
@example([("f", b"p|5|4|a\n-p|9|4|a\np|2|4|a\np|11|4|a\n-p|11|4|b")], 1, 8)
@example([("f", b"-p|9|4|a"), ("g", b"p|5|4|a\n")], 1, 8)
def test_fast_and_slow_reader_agree_on_any_text(found: Texts, tick: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_lines, "_BLOCK", block)
        fast = outcome_of_fast_reader(found, NAMES, tick)
    assert fast == outcome_of_slow_reader(found, NAMES, tick)


@given(texts(), st.sampled_from([1, 24, 200]), st.booleans())
@example([("f", b"p|1|2|a\nsleep|9|9\np|2|2|a\x0cb\n-sleep| 12|9\n")], 1, False)
def test_the_progress_of_a_live_input_does_not_depend_on_blocks_and_readers(
    found: Texts, block: int, is_slow: bool
) -> None:
    def progress() -> tuple[int | None, list[list[int]]]:
        reading = LiveReading()
        for file, content in found:
            read_columns(content, file, NAMES, 1, Symbols(), reading)
        reading.arrive(0)
        return reading.clock, sorted(sorted(each.records.arrivals.tolist()) for each in reading.unsettled())

    expected = progress()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_lines, "_BLOCK", block)
        if is_slow:
            patch.setattr(text_columns, "_LONGEST_BLOCK", 1)
        assert progress() == expected


def test_most_lines_are_read_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blanks, `\\r\\n`, control characters, unused retractions and other alphabets do not need the slow reader."""
    monkeypatch.setattr(text_columns, "read_text_records", None)
    text = " p |1|2| a\r\nat|1|-2|1.50|\tété\x0c\x00\u2028z\nnear|1|2|4|true|1e5|f(x)\nsleep|x\n-sleep|1|1\n"
    n_records, unused, set_aside, records = outcome_of_fast_reader([("f", text.encode())], NAMES, 1)
    assert (n_records, unused, set_aside) == (5, {"sleep": 2}, [])
    assert len(records) == 3


def test_a_point_beyond_the_last_time_point_is_set_aside() -> None:
    text = b"at|1|4611686018427387905|v|a\n"
    (misfit,) = outcome_of_fast_reader([("f", text)], NAMES, 1)[2]
    assert misfit.reason == "the occurrence 4611686018427387905 is not between -2^62 and 2^62"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_text_whose_first_line_is_not_utf8_is_refused(mark: bytes) -> None:
    reading = ColumnReading()
    with pytest.raises(DataProblem, match="`f` is not UTF-8 text: byte 0xe9 in line 2") as caught:
        read_columns(mark + b"\np|1|2|\xe9t\xe9\np|1|2|b\n", "f", NAMES, 1, Symbols(), reading)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["HF501"]
    assert reading == ColumnReading()


def test_a_later_line_that_is_not_utf8_is_set_aside_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_lines, "_BLOCK", 8)
    text = b"p|1|2|a\np|1|2|b\np|1|2|\xe9t\xe9\n\xff\np|1|2|d|\n"
    fast = outcome_of_fast_reader([("f", text)], NAMES, 1)
    assert [str(misfit) for misfit in fast[2]] == [
        "f:3: the line is not UTF-8 text: byte 0xe9: p|1|2|\ufffdt\ufffd",
        "f:4: the line is not UTF-8 text: byte 0xff: \ufffd",
    ]
    assert fast[0] == 5


def test_records_can_be_added_after_settling() -> None:
    reading, symbols = ColumnReading(), Symbols()
    for text in ("ö|1|2|a\nat|1|2|v|a\n", "ö|3|4|b\nat|3|4|v|b\n-ö|1|2|a\n"):
        read_columns(text.encode(), "f", NAMES, 1, symbols, reading)
        reading.settle()
    assert reading.events["ö", 1].starts.tolist() == [2, 4]
    assert reading.fluents["at", 1].starts.tolist() == [2, 4]
    assert [misfit.reason for misfit in reading.unmatched] == ["retracts a record that is not there"]


# -- numbers -----------------------------------------------------------------------------------------------------------

digits = st.text("0123456789", max_size=26)
numerals = st.one_of(
    st.builds("{}{}".format, st.sampled_from(["", "-"]), digits),
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), digits, digits),
    st.integers().map(str),
    st.floats().map(repr),
    st.floats(-200, 200).map(repr),
    st.decimals(-1000, 1000, places=9).map(str),
    st.text("0123456789.-/:;e", max_size=20),
    st.sampled_from(ODD_FIELDS),
)


@given(st.lists(numerals | st.text(max_size=6), max_size=20))
@settings(max_examples=examples(100))
def test_words_in_bulk_equal_words_one_by_one(found: list[str]) -> None:
    strings = pa.array(["x", *found, None], pa.string())[1:-1]
    symbols = Symbols()
    words = words_of(fields_of(strings), np.arange(len(strings)), Lexicon(symbols, n_separators=0))
    assert words.tolist() == [symbols.word(read_field(text.strip())) for text in found]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_are_read_to_the_bit(values: list[float]) -> None:
    found = [f"{value:.17f}" for value in values]
    symbols = Symbols()
    words = words_of(fields_of(pa.array(found)), np.arange(len(found)), Lexicon(symbols, n_separators=0))
    assert symbols.terms(words) == [Float(float(text)) for text in found]


def test_the_lexicon_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.sources.numerals._MOST_TEXTS", 3)
    symbols = Symbols()
    lexicon = Lexicon(symbols, n_separators=0)
    found = [f"v{i % 5}" for i in range(20)]
    words = words_of(fields_of(pa.array(found)), np.arange(len(found)), lexicon)
    assert symbols.terms(words) == [Atom(text) for text in found]
    assert len(lexicon) <= 3


# -- real and generated data -------------------------------------------------------------------------------------------

RULES = {
    "maritime": ["rules.prolog", "parameters.prolog"],
    "ctm": ["rules.prolog"],
    "activity": ["rules.prolog"],
}
VOTING = Names(
    output_events=[],
    used_events=[parse_term(t) for t in ("propose(A, M)", "second(A, M)", "vote(A, M, V)", "close_ballot(A, M)")],
    simple=[parse_term("status(M) = declared")],
    static=[],
    declared_inputs=[],
    used_fvps=[],
)


def names_of(app: str) -> Names:
    files = RULES.get(app) or [path.name for path in sorted((ROOT / "apps" / app).glob("*.prolog"))]
    return compile_files([str(ROOT / "apps" / app / file) for file in files], Diagnostics()).names


@pytest.mark.parametrize(
    ("folder", "app", "tick"),
    [("brest-two-vessels", "maritime", 1), ("ctm", "ctm", 1), ("caviar", "activity", 40), ("voting", None, 1)],
)
def test_fast_and_slow_reader_agree_on_real_files(folder: str, app: str | None, tick: int) -> None:
    if not (DATA / folder).is_dir():
        pytest.skip(f"no real data: {DATA / folder} not found (set HOLDSFOR_DATA)")
    known = names_of(app) if app else VOTING
    files = sorted((DATA / folder).glob("*.csv"))
    found = [(file.name, b"".join(file.read_bytes().splitlines(keepends=True)[:20_000])) for file in files]
    fast = outcome_of_fast_reader(found, known, tick)
    assert fast == outcome_of_slow_reader(found, known, tick)
    assert fast[3]


@pytest.mark.parametrize("app", MODELS)
def test_generated_records_are_the_same_from_text_table_and_parquet(app: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    model, known = model_of(app, entities=12, seed=3), names_of(app)
    stream = list(pieces(model, duration=3 * model.period, seed=3, max_rows=300))
    text = io.BytesIO()
    write_text(stream, model.vocabulary, text)
    write_parquet(stream, model.vocabulary, tmp_path / "records.parquet")
    expected = outcome_of_slow_reader([("f", text.getvalue())], known, model.tick)
    assert expected[3]
    assert outcome_of_fast_reader([("f", text.getvalue())], known, model.tick) == expected
    for table in (to_table(stream, model.vocabulary), pq.read_table(tmp_path / "records.parquet")):
        assert outcome_of_table(table, known, model.tick) == expected


# -- tables ------------------------------------------------------------------------------------------------------------

Shape = Literal["event", "points", "intervals"]


def outcome_of_table(table: Any, names: Names, tick: int) -> Outcome:
    reading, symbols = ColumnReading(), Symbols()
    read_table(table, names, tick, symbols, reading, file="f")
    return outcome(reading, symbols)


def table_of(rows: list[dict[str, Any]], **types: Any) -> Any:
    columns = ["name", "arrival", "start", "end", "value", "arg1", "arg2", "op"]
    kinds = {"arrival": pa.int64(), "start": pa.int64(), "end": pa.int64(), **types}
    return pa.table({c: pa.array([row.get(c) for row in rows], kinds.get(c, pa.string())) for c in columns})


SHAPES: dict[str, tuple[Shape, int]] = {
    "p": ("event", 2),
    "tick": ("event", 0),
    "at": ("points", 1),
    "near": ("intervals", 2),
    "noon": ("intervals", 0),
    "sleep": ("event", 1),
    "happy": ("event", 1),
}
plain_fields = st.sampled_from(["a", "1", "1.50", "003", "1e5", "f(a)", " b", "été", "-7", "0.12345678901234567890"])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(sorted(SHAPES)))
    shape, arity = SHAPES[name]
    row: dict[str, Any] = {"name": name, "arrival": draw(st.integers(0, 5)), "start": draw(st.integers(0, 4))}
    if shape != "event":
        row["value"] = draw(plain_fields)
    if shape == "intervals":
        row["end"] = draw(st.integers(0, 8))
    row.update({f"arg{i + 1}": draw(plain_fields) for i in range(arity)})
    return {**row, "op": draw(st.sampled_from([None, None, "+", "-"]))}


def line_of(row: dict[str, Any]) -> str:
    sign = "-" if row["op"] == "-" else ""
    shown = [row.get(column) for column in ("name", "arrival", "start", "end", "value", "arg1", "arg2")]
    return sign + "|".join(str(field) for field in shown if field is not None)


@given(st.lists(rows(), max_size=25), st.sampled_from([1, 2]), st.booleans(), st.sampled_from([2, 1000]))
@settings(max_examples=examples(75))
def test_a_table_gives_the_records_of_its_lines(
    found: list[dict[str, Any]], tick: int, encoded: bool, batch: int
) -> None:
    text = pa.dictionary(pa.int8(), pa.string()) if encoded else pa.large_string()
    table = table_of(found, name=text, value=text, arg1=text)
    kinds = {name: f"{name}:term" for name in ("value", "arg1", "arg2")}
    table = table.rename_columns([kinds.get(name, name) for name in table.column_names])
    content = "\n".join(map(line_of, found)).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdsfor.sources.arrow._BATCH", batch)
        fast = outcome_of_table(table, NAMES, tick)
    assert fast == outcome_of_slow_reader([("f", content)], NAMES, tick)


def test_numbers_of_a_table_are_numbers() -> None:
    large = 2**60
    cases: list[tuple[Any, list[Any], list[Term]]] = [
        (pa.int64(), [3, -large], [Int(3), Int(-large)]),
        (pa.uint64(), [3, 2**64 - 1], [Int(3), Int(2**64 - 1)]),
        (pa.int8(), [3, -4], [Int(3), Int(-4)]),
        (pa.float64(), [3.0, -0.0], [Float(3.0), Float(0.0)]),
        (pa.float32(), [0.5, 2.0], [Float(0.5), Float(2.0)]),
        (pa.string_view(), ["3.0", "c"], [Atom("3.0"), Atom("c")]),
        (pa.dictionary(pa.int32(), pa.int64()), [5, large], [Int(5), Int(large)]),
    ]
    for kind, values, expected in cases:
        found = [{"name": "p", "arrival": 1, "start": 2, "arg1": value} for value in values]
        records = outcome_of_table(table_of(found, arg1=kind), NAMES, 1)[3]
        assert records == {(1, Fact(Struct("p", (term,)), None, 2, 2)) for term in expected}


def test_columns_that_would_be_null_may_be_missing() -> None:
    table = pa.table({"name": ["tick"], "arrival": [1], "start": pa.array([2], pa.int32())})
    assert outcome_of_table(table, NAMES, 1)[3] == {(1, Fact(Atom("tick"), None, 2, 2))}
    assert outcome_of_table(table.slice(0, 0), NAMES, 1) == (0, Counter(), [], set())


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"name": None}, "expected a name, found nothing"),
        ({"name": "happy"}, "`happy` is computed by the rules"),
        ({"name": "tick", "op": "x"}, "expected `+` or `-` as op, found `x`"),
        ({"name": "tick", "arrival": None}, "expected an integer as arrival, found nothing"),
        ({"name": "tick", "start": None}, "expected an integer as occurrence, found nothing"),
        ({"name": "tick", "start": 3}, "the occurrence 3 is not a time-point: the clock ticks every 2"),
        ({"name": "tick", "arg1": "a"}, "expected `tick|arrival|occurrence`, found `tick|arrival|occurrence|arg1`"),
        (
            {"name": "at", "end": 6, "value": "v", "arg1": "a"},
            "expected `at|arrival|occurrence|value|arg1`, found `at|arrival|start|end|value|arg1`",
        ),
        (
            {"name": "at", "start": 2**62 + 2, "value": "v", "arg1": "a"},
            "the occurrence 4611686018427387906 is not between -2^62 and 2^62",
        ),
        ({"name": "noon", "end": 6}, "expected a value with the end, found nothing"),
        ({"name": "noon", "end": 2, "value": "v"}, "the interval ends at 2, not after its start 2"),
        ({"name": "noon", "end": 5, "value": "v"}, "the end 5 is not a time-point: the clock ticks every 2"),
        ({"name": "p", "arg2": "b"}, "arg1 is missing"),
        ({"name": "tick", "op": "-"}, "retracts a record that is not there"),
    ],
)
def test_a_row_that_does_not_fit_is_set_aside_with_the_reason(row: dict[str, Any], reason: str) -> None:
    good = {"name": "p", "arrival": 1, "start": 2, "arg1": "a"}
    n_records, _, set_aside, records = outcome_of_table(table_of([good, {"arrival": 1, "start": 2, **row}]), NAMES, 2)
    assert n_records == 2
    assert len(records) == 1
    assert [(misfit.file, misfit.line, misfit.reason) for misfit in set_aside] == [("f", 2, reason)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"name": ["p"], "end": [1]}, "column `start` not found among the columns of the table: `name`, `end`"),
        (
            {"name": ["p"], "arrival": [True], "start": [1]},
            "expected integers or timestamps in column `arrival`, found bool",
        ),
        ({"name": ["p"], "time": [1], "start": [1]}, "column `start` occurs more than once"),
        ({"name": [1], "arrival": [1], "start": [1]}, "expected text in column `name`, found int64"),
        ({"name": ["p"], "arrival": [1], "start": [1], "agr1": ["a"]}, "column `agr1` is not a column of records"),
        ({"name": ["p"], "arrival": [1], "start": [1], "arg2": ["a"]}, "column `arg2` is not a column of records"),
        ({"name": ["p"], "time": [1], "lat": [4.5], "lon": [4.5]}, "`lat`, `lon` are not columns of records"),
        (
            {"name": ["p"], "arrival": [1], "start": [1], "arg1": [[1]]},
            "expected text, numbers, booleans or dates in column `arg1`, found list<item: int64>",
        ),
    ],
)
def test_a_table_with_other_columns_is_refused(columns: dict[str, list[Any]], message: str) -> None:
    reading = ColumnReading()
    with pytest.raises(DataProblem) as caught:
        read_table(pa.table(columns), NAMES, 1, Symbols(), reading)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("HF502", message)
    assert diagnostic.hint
    assert reading == ColumnReading()
