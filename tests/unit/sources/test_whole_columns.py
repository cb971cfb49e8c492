"""Columns that are read as a whole give the constants of their fields one by one, and files those of their rows."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.columns.encoding import Symbols
from holdsfor.sources import numerals
from holdsfor.sources.fields import read_field
from holdsfor.sources.numerals import Lexicon, column_words, distinct_texts, whole_numbers
from holdsfor.sources.parquet_tables import read_parquet
from holdsfor.syntax.terms import Int
from tests.seeds import examples

canonical = st.integers(-(10**18), 10**18).map(str)
odd = st.sampled_from(["", "-", "-0", "007", "+1", " 1", "0x1f", "0xFFFFFFFFFF", "1.5", "1e3", "on", "9" * 19, "a\0"])
columns = st.lists(st.none() | canonical, max_size=12) | st.lists(st.none() | canonical | odd, max_size=12)


def as_arrow(texts: list[str | None], first: int, *, is_large: bool) -> Any:
    """A column that is a slice of a longer one."""
    return pa.array([*["77"] * first, *texts], pa.large_string() if is_large else pa.string()).slice(first)


@given(columns, st.integers(0, 2), st.booleans())
@settings(max_examples=examples(150))
@example(["0xFFFFFFFFFF", "1"], 0, False)
@example(["0xF", "1", "0010"], 0, False)
def test_integers_of_a_column_are_those_of_its_fields(texts: list[str | None], first: int, is_large: bool) -> None:
    found = whole_numbers(as_arrow(texts, first, is_large=is_large))
    terms = [None if text is None else read_field(text) for text in texts]
    if found is not None:
        assert [Int(value) for value in found.tolist()] == [Int(0) if term is None else term for term in terms]
    else:
        assert not any(texts) or not all(_is_plain(text) for text in texts if text is not None)


def _is_plain(text: str) -> bool:
    """Whether a text is an integer of up to 18 digits in canonical form."""
    return (
        text.removeprefix("-").isascii()
        and text.removeprefix("-").isdigit()
        and str(int(text)) == text
        and abs(int(text)) < 10**18
    )


@given(st.lists(st.none() | st.text("ab\0é", max_size=5), min_size=1, max_size=40), st.integers(0, 2), st.booleans())
@settings(max_examples=examples(150))
def test_distinct_texts_are_those_of_the_rows(texts: list[str | None], first: int, is_large: bool) -> None:
    found, codes = distinct_texts(as_arrow(texts, first, is_large=is_large))
    distinct = found.to_pylist()
    assert len(set(distinct)) == len(distinct)
    assert all(text is None or distinct[code] == text for text, code in zip(texts, codes.tolist(), strict=True))


@given(st.lists(canonical | odd | st.sampled_from(["2.50", "f(a)"]), min_size=3, max_size=30))
@settings(max_examples=examples(100))
def test_words_of_few_texts_are_those_of_all_rows(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numerals, "_SAMPLE", 2)
        symbols = Symbols()
        words = column_words(pa.array([*texts, *texts, *texts]), Lexicon(symbols, n_separators=0))
    assert symbols.terms(words) == [read_field(text.strip()) for text in texts] * 3


def test_a_parquet_file_has_dictionaries_for_texts_that_repeat(tmp_path: Path) -> None:
    n = 20_000
    table = pa.table(
        {
            "id": pa.array([hashlib.sha1(b"%d" % i).hexdigest() for i in range(n)]),
            "state": pa.array(["on", "off"] * (n // 2)),
            "at": pa.array(["2026-03-01T08:00:00Z"] * n),
            "other": pa.array(range(n)),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=8_000)
    found = read_parquet(str(tmp_path / "t.parquet"), ["id", "state", "at"], plain=["at"])
    assert [pa.types.is_dictionary(kind) for kind in found.schema.types] == [False, True, False]
    assert found["state"].cast(pa.string()).to_pylist() == table["state"].to_pylist()
    assert read_parquet(str(tmp_path / "t.parquet"), ["id", "missing"]).schema.names == table.schema.names


def test_times_that_repeat_as_text_are_times(tmp_path: Path) -> None:
    rules = hf.load_text("initiatedAt(lit(X)=true, T) :- happensAt(switch(X, on), T).")
    table = pa.table({"id": [1, 2], "state": ["on", "on"], "at": ["2026-03-01T08:00:00Z"] * 2, "more": [0, 0]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    files = [tmp_path / "t.parquet", table]
    found = [hf.recognise(rules, (each, "happensAt(switch(id, state), at)"))["lit"].to_pylist() for each in files]
    assert found[0] == found[1]
    assert len(found[0]) == 2


@pytest.mark.parametrize("quote", ["", '"'])
def test_blank_lines_and_short_lines_of_csv_keep_the_numbers_of_lines(tmp_path: Path, quote: str) -> None:
    rules = hf.load_text("happensAt(seen(X), T) :- happensAt(saw(X), T).")
    (tmp_path / "t.csv").write_text(f"\nwho,at\na,1\n\nb\n{quote}c{quote},3\n\nd,x\n", encoding="utf-8")
    with pytest.warns(hf.errors.SetAsideWarning):
        found = hf.recognise(rules, (tmp_path / "t.csv", "happensAt(saw(who), at)"))
    assert [each.line for each in found.reading.set_aside] == [5, 8]
    assert sorted(found.to_arrow()["fvp"].to_pylist()) == ["seen(a)", "seen(c)"]
