"""A result behaves like a Python collection, and shows itself and its rules in short."""

from __future__ import annotations

import subprocess
import sys

import pytest

import holdsfor as hf
from holdsfor.errors import SetAsideWarning

RULES = """
initiatedAt(occupied(X)=true, T) :- happensAt(enter(X), T).
terminatedAt(occupied(X)=true, T) :- happensAt(leave(X), T).
happensAt(seen(X), T) :- happensAt(enter(X), T).
"""


@pytest.fixture
def result() -> hf.Result:
    return hf.recognise(hf.load_text(RULES), ["enter|3|3|a", "leave|9|9|a", "enter|5|5|b"])


def test_rows_are_counted_iterated_and_found(result: hf.Result) -> None:
    assert len(result) == len(list(result)) == 4
    assert next(iter(result)) == ("fluent", "occupied(a)=true", 4, 10)
    assert "occupied(a)=true" in result
    assert "occupied(_)" in result
    assert "seen(b)" in result
    assert "occupied(c)=true" not in result
    assert 7 not in result


def test_a_pattern_gives_all_instances(result: hf.Result) -> None:
    expected = {"occupied(a)=true": [(4, 10)], "occupied(b)=true": [(6, None)]}
    for pattern in ("occupied", "occupied(_)", "occupied(X)=true", "occupied(X)=V"):
        assert result.holds_for(pattern) == expected
    assert result.holds_for("occupied(a)") == {"occupied(a)=true": [(4, 10)]}
    assert result.happens_at("seen(_)") == result.happens_at("seen") == {"seen(a)": [3], "seen(b)": [5]}
    with pytest.raises(KeyError, match="did you mean `occupied`"):
        result.holds_for("ocupied")
    with pytest.raises(KeyError, match="the rules have"):
        result.holds_for("xyz(_)=true")


def test_a_name_alone_is_found_beside_a_similar_name() -> None:
    rules = hf.load_text("initiatedAt(stopped(X)=true, T) :- happensAt(stop(X), T).")
    assert hf.recognise(rules, ["stop|3|3|a"]).holds_for("stopped") == {"stopped(a)=true": [(4, None)]}


def test_the_text_has_the_counts_of_records_that_do_not_fit() -> None:
    with pytest.warns(SetAsideWarning):
        result = hf.recognise(hf.load_text(RULES), ["enter|3|3|a", "enter|soon|soon|b"])
    assert repr(result).splitlines()[0] == "Result at 3: 1 FVP, 1 event, 1 set aside"


def test_the_page_has_a_small_timeline(result: hf.Result) -> None:
    page = result._repr_html_()
    assert "<code>occupied(a)=true</code>" in page
    assert "█" in page
    assert "·" in page


def test_rules_show_themselves_on_a_page() -> None:
    rules = hf.load_text(RULES)
    lines = repr(rules).splitlines()
    assert lines[0] == "Rules of text"
    assert "    occupied(_)=true  simple" in lines
    assert rules.warnings == ()
    unused = hf.load_text(RULES + "initiatedAt(on(X)=true, T) :- happensAt(enter(X), T), happensAt(entre(X), T).")
    assert all(warning.code.startswith("HF") for warning in unused.warnings)


def test_names_of_the_library_are_listed() -> None:
    assert {"load", "recognise", "Session", "Event", "spark", "errors"} <= set(dir(hf))
    used = (
        "import holdsfor as hf; print(hf.errors.SetAsideWarning.__name__, all(hasattr(hf, name) for name in dir(hf)))"
    )
    done = subprocess.run([sys.executable, "-c", used], capture_output=True, text=True, check=True)
    assert done.stdout == "SetAsideWarning True\n"
