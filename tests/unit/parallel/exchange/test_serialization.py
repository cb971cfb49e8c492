"""Serialized facts are restored unchanged, for all columns and numbers of rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Facts, Texts, owners
from holdsfor.parallel.exchange.serialization import pack, unpack
from holdsfor.spark.exchange.shuffle_rows import partition_values
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term

CONSTANTS: dict[str, list[Term]] = {
    "one": [Int(7)],
    "whole numbers": [Int(n) for n in (3, 4, 250, -3, 90_000)],
    "far apart": [Int(n) for n in (-(2**48), 2**48, 5)],
    "too large for a word": [Int(2**70), Int(3), Int(-(2**70))],
    "floats": [Float(n) for n in (1.5, -2.25, 1e300, 0.1)],
    "symbols": [Atom("a"), Atom("B b"), Atom("[]"), Struct("k", (Atom("a"), Int(3)))],
    "all kinds": [Atom("a"), Int(3), Float(3.0), Atom("é'\n"), Int(2**60)],
}


@pytest.mark.parametrize("n", [1, 5, 63, 64, 3000])
@pytest.mark.parametrize("name", CONSTANTS)
def test_packed_facts_are_restored(name: str, n: int) -> None:
    symbols, other = Symbols(), Symbols()
    other.word(Atom("something else"))
    chosen = [CONSTANTS[name][i % len(CONSTANTS[name])] for i in range(n)]
    times = {"arrival": np.arange(n) * 2**40, "start": np.full(n, -5), "end": np.arange(n) * 2**40}
    texts = {"text": pa.array([f"{i}é" for i in range(n + 1)]).slice(1), "reason": pa.array([""] * n)}
    facts = Facts("fluent", "f", 1, n, [symbols.words(chosen), symbols.words(chosen[::-1])], times, texts)
    message = pa.py_buffer(b"xyz" + pack(facts, Texts(symbols))).slice(3)
    found = unpack(("fluent", "f", 1, n), message, other)
    assert [other.terms(words) for words in found.words] == [chosen, chosen[::-1]]
    assert {column: values.tolist() for column, values in found.times.items()} == {
        column: values.tolist() for column, values in times.items()
    }
    assert {column: values.to_pylist() for column, values in found.texts.items()} == {
        column: values.to_pylist() for column, values in texts.items()
    }


def test_facts_without_columns_are_only_a_number() -> None:
    message = pack(Facts("read", "", 0, 12), Texts(Symbols()))
    assert unpack(("read", "", 0, 12), message, Symbols()) == Facts("read", "", 0, 12, [])


def test_narrow_columns_are_short() -> None:
    symbols, n = Symbols(), 10_000
    few = symbols.words([Float(i % 600 / 10) for i in range(n)])
    facts = Facts("event", "f", 1, n, [few], {"arrival": np.arange(n), "start": np.arange(n)})
    assert len(pack(facts, Texts(symbols))) < 2 * n + 2 * n + 600 * 8 + 400


def test_a_constant_has_one_owner_in_every_process() -> None:
    constants: list[Term] = [Atom("a"), Int(3), Float(3.0), Struct("k", (Atom("b c"),))]
    one, other = Symbols(), Symbols()
    other.words([Atom("z"), Atom("b c"), *reversed(constants)])
    found = [owners(symbols.words(constants), 997, Texts(symbols)).tolist() for symbols in (one, other)]
    assert found[0] == found[1]
    assert len(set(found[0])) == 4


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_every_bucket_has_a_different_place(n: int) -> None:
    found = partition_values(n)
    assert len(set(found.tolist())) == n
    assert found.min() >= 0
