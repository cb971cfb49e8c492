"""`plot` draws a result or report as a figure, and says which package is missing."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import UsageProblem

RULES = """
initiatedAt(on(Lamp, Room)=true, T) :- happensAt(up(Lamp, Room), T).
terminatedAt(on(Lamp, Room)=true, T) :- happensAt(down(Lamp, Room), T).
happensAt(seen(Lamp), T) :- happensAt(up(Lamp, _), T).
"""
RECORDS = ["up|3|3|a|k", "down|9|9|a|k", "up|5|5|b|h"]


def texts(figure: object) -> set[str]:
    """All texts of a figure."""
    from matplotlib.text import Text

    return {text.get_text() for text in figure.findobj(Text)} - {""}  # type: ignore[attr-defined]


@pytest.fixture
def result() -> hf.Result:
    return hf.recognise(hf.load_text(RULES), RECORDS, start=0, end=20)


def test_a_result_is_a_figure_with_its_rows(result: hf.Result) -> None:
    figure = result.plot(title="Lamps")
    assert {"Lamps", "on(a,k)", "on(b,h)", "seen(a)", "seen(b)", "0", "20"} <= texts(figure)
    assert {"a", "b", "lamp"} <= texts(result.plot(by="lamp"))
    assert {"0", "20"}.isdisjoint(texts(result.plot(start=3, end=9)))


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_figure_is_written_to_a_file(result: hf.Result, suffix: str, tmp_path: Path) -> None:
    figure = result.plot(tmp_path / f"lamps{suffix}")
    assert "on(a,k)" in texts(figure)
    assert (tmp_path / f"lamps{suffix}").stat().st_size > 1000


def test_a_figure_has_the_shown_output_and_dates() -> None:
    start = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
    events = [hf.Event("up", "a", "k", at=start + dt.timedelta(hours=i)) for i in range(3)]
    result = hf.recognise(hf.load_text(RULES), events, show="seen")
    found = texts(result.plot(start=start, end="2026-03-01T12:00:00Z"))
    assert "seen(a)" in found
    assert not any(text.startswith("on") for text in found)
    assert any("2026" in text for text in found)


def test_a_report_is_drawn_from_its_first_interval(result: hf.Result) -> None:
    session = hf.Session(hf.load_text(RULES), start=0, window=2000)
    session.insert([record.replace("|3", "|1003").replace("|9", "|1009").replace("|5", "|1005") for record in RECORDS])
    found = texts(session.query().plot(end=1010))
    assert {"on(a,k)", "1005"} <= found
    assert "0" not in found


def test_wrong_arguments_are_errors(result: hf.Result, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="HF756"):
        result.plot(by="floor")
    with pytest.raises(UsageProblem, match="HF750"):
        result.plot(tmp_path / "lamps.gif")
    with pytest.raises(UsageProblem, match="HF702"):
        result.plot(start=9, end=3)


def test_without_matplotlib_the_hint_names_the_extra(result: hf.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageProblem, match=r"(?s)HF751.*Matplotlib not found.*pip install 'holdsfor\[plot\]'"):
        result.plot()
