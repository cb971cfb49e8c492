"""Timelines as pictures and as text: every row is in it, whole, and the same rows give the same picture."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.errors import UsageProblem
from holdsfor.views import timeline
from holdsfor.views.labels import columns, wrapped
from holdsfor.views.timeline import draw_timeline, text_timeline
from holdsfor.views.timeline_rows import Bar, Row, bars, grouped, tick_times

GOLDEN = Path(__file__).parents[2] / "golden" / "views"

CHRIS = ("chris",)
DAY = [
    Row("location", CHRIS, "home", [(0, 5), (22, None)]),
    Row("location", CHRIS, "work", [(5, 9)]),
    Row("location", CHRIS, "pub", [(14, 22)]),
    Row("rich", CHRIS, "true", [(12, 26)]),
    Row("happy", CHRIS, "true", [(12, 26)], kind="static"),
    Row("alarm", ("b1",), times=[3, 9, 30], kind="event"),
    Row("go_to", ("chris", "_"), times=[5, 9, 14, 22], kind="input"),
]


def held(name: str, *intervals: tuple[int, int | None]) -> Row:
    return Row(name, value="true", intervals=intervals)


def texts(path: Path) -> list[str]:
    found = ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in found]


def png_size(path: Path) -> tuple[int, int]:
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def test_svg_contains_title_labels_and_ticks_as_text(tmp_path: Path) -> None:
    path = draw_timeline(DAY, start=0, end=30, title="The day of Chris", path=tmp_path / "day.svg").path
    found = texts(path)
    assert {"location(chris)", "rich(chris)", "happy(chris)", "alarm(b1)", "go_to(chris,_)"} <= set(found)
    assert {"home", "work", "pub"} <= set(found)
    assert {"The day of Chris", "0", "5", "10", "15", "20", "25", "30"} <= set(found)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_rows_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in ("first", "second")]
    for path in paths:
        draw_timeline(DAY, start=0, end=30, path=path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert b"<dc:date>" not in paths[0].read_bytes()


def test_the_picture_grows_with_its_rows_and_labels(tmp_path: Path) -> None:
    def size(rows: list[Row]) -> tuple[int, int]:
        return png_size(draw_timeline(rows, start=0, end=30, path=tmp_path / "day.png").path)

    small, tall, wide = size(DAY[:1]), size(DAY), size([held("W" * 50, (0, 5))])
    assert tall[1] > small[1]
    assert wide[0] > small[0]


def test_labels_are_inside_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    left_edges: list[float] = []
    save = Figure.savefig

    def measure(figure: Figure, *arguments: object, **options: object) -> None:
        save(figure, *arguments, **options)  # type: ignore[arg-type]
        left_edges.extend(label.get_window_extent().x0 for label in figure.axes[0].texts)

    monkeypatch.setattr(Figure, "savefig", measure)
    rows = [Row("W" * 56, value="M" * 300, intervals=[(0, 5)]), held("日本語" * 20, (0, 5))]
    draw_timeline(rows, start=0, end=10**12, path=tmp_path / "wide.png", title="t")
    assert len(left_edges) == 2
    assert min(left_edges) >= 0


def test_labels_are_not_formulas_and_may_have_any_characters(tmp_path: Path) -> None:
    labels = ["cost($x$)", "100%_\\alpha^2", "a&b<c>", "日本語(é)", "nul\x00=1"]
    rows = [held(label, (0, 5)) for label in labels]
    path = draw_timeline(rows, start=0, end=9, path=tmp_path / "odd.svg").path
    draw_timeline(rows, start=0, end=9, path=tmp_path / "odd.png")
    assert set(labels[:4]) <= set(texts(path))


def test_no_rows_and_no_time_still_make_a_picture(tmp_path: Path) -> None:
    path = draw_timeline([], start=7, end=7, path=tmp_path / "empty.svg").path
    assert "nothing holds or occurs" in texts(path)


def test_times_of_any_size_are_written_out(tmp_path: Path) -> None:
    start = 2**62
    rows = [held("f", (start + 3, None))]
    path = draw_timeline(rows, start=start, end=start + 10, path=tmp_path / "late.svg").path
    assert str(start + 6) in texts(path)


def test_the_settings_of_matplotlib_are_restored(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw_timeline(DAY, start=0, end=30, path=tmp_path / "day.png")
    assert dict(matplotlib.rcParams) == before


def test_the_error_for_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"HF750.*expected \.png or \.svg, found `\.gif`"):
        draw_timeline(DAY, start=0, end=30, path=tmp_path / "day.gif")


def test_without_matplotlib_the_hint_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "find_spec", lambda _: None)
    with pytest.raises(UsageProblem) as problem:
        draw_timeline(DAY, start=0, end=30, path=tmp_path / "day.png")
    assert str(problem.value) == (
        "error[HF751]: Matplotlib not found, which draws the timeline as .png\nhint: `pip install 'holdsfor[plot]'`"
    )


def test_a_timeline_cannot_end_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot end at 1 and start at 2"):
        draw_timeline(DAY, start=2, end=1, path=tmp_path / "day.png")
    with pytest.raises(ValueError, match="cannot end at 1 and start at 2"):
        text_timeline(DAY, 2, 1)


def test_importing_the_views_imports_no_drawing_library() -> None:
    code = (
        "import sys, holdsfor.views.timeline, holdsfor.views.graph; print({'matplotlib', 'numpy'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


@pytest.mark.parametrize("width", [100, 60, 30])
def test_text_is_the_golden_text(width: int) -> None:
    expected = (GOLDEN / f"day-{width}.txt").read_text(encoding="utf-8")
    assert text_timeline(DAY, 0, 30, width) + "\n" == expected


intervals = st.lists(st.tuples(st.integers(-50, 150), st.none() | st.integers(-50, 150)), max_size=4)


@given(intervals, st.integers(0, 40), st.integers(1, 80), st.integers(20, 120))
def test_text_marks_exactly_the_cells_in_which_the_row_holds(
    input_interval_fact: list[tuple[int, int | None]], start: int, span: int, width: int
) -> None:
    row = Row("f", intervals=input_interval_fact)
    end = start + span
    cells = text_timeline([row], start, end, width).splitlines()[0].partition("│")[2]
    holds = [
        any(first <= time and (last is None or time < last) for first, last in input_interval_fact)
        for time in range(start, end)
    ]
    chart = cells.rstrip("▶")
    assert ("█" in chart or "▒" in chart) == any(holds)
    if len(chart) >= span:
        per_point = len(chart) // span
        assert [chart[place * per_point] == "█" for place in range(span)] == holds
    if "▶" in cells:
        assert holds[-1]


@given(st.lists(st.text(max_size=40), max_size=8), st.integers(1, 90))
def test_text_fits_its_width_and_loses_no_row(labels: list[str], width: int) -> None:
    lines = text_timeline([held(label, (0, 3)) for label in labels], 0, 10, width).splitlines()
    assert sum("█" in line.partition("│")[2] for line in lines) >= len(labels)
    assert all(columns(line) <= max(width, width // 2 + 26) for line in lines)


@given(st.text(), st.integers(2, 60))
def test_wrapping_loses_no_character_and_keeps_the_width(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert len("".join(lines)) == len(text)
    assert all(columns(line) <= width for line in lines)


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**9), st.integers(2, 30))
def test_ticks_are_few_even_and_inside(start: int, span: int, most: int) -> None:
    ticks = tick_times(start, start + span, most)
    assert len(ticks) <= most
    assert all(start <= tick <= start + span for tick in ticks)
    assert len({later - earlier for earlier, later in pairwise(ticks)}) <= 1


def test_bars_are_cut_to_the_picture_and_marked() -> None:
    assert bars(held("f", (0, 2), (4, 4), (6, 20), (30, None)), 2, 10) == [Bar(6, 10, True, False)]
    assert bars(held("f", (0, 10)), 2, 10) == [Bar(2, 10, False, True)]


def test_groups_are_fluents_in_the_order_of_their_first_row() -> None:
    assert [group[0].name for group in grouped(DAY)] == ["location", "rich", "happy", "alarm", "go_to"]
