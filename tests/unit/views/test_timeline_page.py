"""Large timelines: groups by entity, dates, short intervals, and pages that count the rows left out."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem
from holdsfor.views.chart import Chart
from holdsfor.views.chart_lanes import LaneShapes
from holdsfor.views.lanes import Group, groups_by
from holdsfor.views.palette import palette
from holdsfor.views.thinning import Piece, thinned_bars, thinned_times
from holdsfor.views.time_axis import DateAxis, IntegerAxis
from holdsfor.views.timeline import draw_timeline
from holdsfor.views.timeline_layout import layout
from holdsfor.views.timeline_rows import Bar, Row

ROOT = Path(__file__).parents[3]
YEAR = 365 * 86_400
_1970 = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

FLEET = [
    Row("at_sea", ("7",), "true", [(0, 90)], columns=("vessel",)),
    Row("at_sea", ("12",), "true", [(5, 40)], columns=("vessel",)),
    Row("speed", ("7",), "slow", [(0, 10)], columns=("vessel",)),
    Row("speed", ("7",), "fast", [(10, 60)], columns=("vessel",)),
    Row("meets", ("7", "12"), "true", [(20, 30)], columns=("vessel_1", "vessel_2")),
    Row("storm", times=[33], kind="event"),
]


def texts(path: Path) -> list[str]:
    found = ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in found]


def labels(groups: list[Group]) -> dict[str, list[str]]:
    return {group.heading: [lane.label for lane in group.lanes] for group in groups}


# -- groups ------------------------------------------------------------------------------------------------------------


def test_groups_by_entity_have_every_fluent_of_the_entity_and_pairs_twice() -> None:
    assert labels(groups_by(FLEET, "vessel")) == {
        "7": ["at_sea", "speed", "meets(_,12)"],
        "12": ["at_sea", "meets(7,_)"],
        "": ["storm"],
    }


def test_a_position_groups_by_one_argument() -> None:
    assert labels(groups_by(FLEET, "2")) == {
        "12": ["meets(7,_)"],
        "": ["at_sea(7)", "at_sea(12)", "speed(7)", "storm"],
    }


def test_values_share_a_lane_unless_they_hold_at_once() -> None:
    rows = [Row("f", ("a",), "1", [(0, 5)]), Row("f", ("a",), "2", [(5, 9)]), Row("f", ("a",), "3", [(4, 6)])]
    assert [[row.value for row in lane.rows] for lane in groups_by(rows)[0].lanes] == [["1", "2"], ["3"]]


@pytest.mark.parametrize("by", ["vesel", "3", "0", "vessels"])
def test_an_unknown_argument_is_refused_with_the_known_ones(by: str) -> None:
    with pytest.raises(UsageProblem, match=r"(?s)HF756.*`fluent`, `vessel`, `vessel_1`, `vessel_2`, `1`, `2`"):
        groups_by(FLEET, by)


def test_a_single_fluent_has_a_hue_for_each_value_and_several_fluents_have_shades() -> None:
    single = [Row("fine", ("a",), value) for value in ("open", "overdue", "paid")]
    assert list(palette(single).colours.values()) == ["#0072b2", "#d55e00", "#009e73"]
    both = palette([*single, Row("up", value="true"), Row("up", value="false")]).colours
    assert both["fine", "open"] == palette(single).colours["fine", "open"]
    assert both["up", "true"] < both["up", "false"]


# -- dates -------------------------------------------------------------------------------------------------------------


@given(
    st.integers(-40 * YEAR, 200 * YEAR),
    st.one_of(st.integers(0, 10**4), st.integers(0, 10**7), st.integers(0, 300 * YEAR)),
    st.integers(2, 12),
    st.sampled_from([datetime.UTC, ZoneInfo("Europe/Athens"), ZoneInfo("America/New_York")]),
)
def test_date_ticks_are_few_ascending_and_say_their_local_time(
    start: int, span: int, most: int, zone: datetime.tzinfo
) -> None:
    ticks = DateAxis(1, zone).ticks(start, start + span, most)
    assert len(ticks) <= most + 1
    assert all(start <= tick.time <= start + span for tick in ticks)
    assert all(earlier.time < later.time for earlier, later in pairwise(ticks))
    for tick in ticks:
        local = (_1970 + datetime.timedelta(seconds=tick.time)).astimezone(zone)
        if ":" in tick.label:
            assert f"{local:%H:%M:%S}".startswith(tick.label)
        elif tick.label.isdecimal():
            assert local.year == int(tick.label)
        else:
            assert str(local.day) in tick.label or local.day == 1
    assert not ticks or ticks[0].context or ticks[0].label.isdecimal()


def test_weeks_begin_on_monday() -> None:
    july = 1_530_403_200  # Sunday, 1 July 2018
    ticks = DateAxis().ticks(july, july + 60 * 86_400, 10)
    assert ticks[0].label == "2 Jul"
    assert {later.time - earlier.time for earlier, later in pairwise(ticks)} == {7 * 86_400}


def test_times_without_a_zone_have_no_note() -> None:
    assert DateAxis().note() == ""
    assert DateAxis(zone=datetime.UTC).note() == "times in UTC"


def test_times_outside_the_calendar_are_numbers() -> None:
    assert DateAxis().ticks(2**61, 2**61 + 10, 3) == IntegerAxis().ticks(2**61, 2**61 + 10, 3)


def test_a_date_axis_has_dates_and_names_its_zone(tmp_path: Path) -> None:
    axis = DateAxis(1000, ZoneInfo("Europe/Athens"))
    start = 1_530_403_200_000
    rows = [Row("up", value="true", intervals=[(start, None)])]
    drawn = draw_timeline(rows, start=start, end=start + 8 * 3_600_000, path=tmp_path / "x.svg", axis=axis)
    found = texts(drawn.path)
    assert {"03:00", "1 Jul 2018", "times in Europe/Athens"} <= set(found)


# -- short intervals ---------------------------------------------------------------------------------------------------

spans = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=30)


@given(spans, st.integers(1, 20))
@example([(1, 1), (1, 1), (1, 6)], 2)
def test_thinned_bars_cover_the_bars_and_count_them(lengths: list[tuple[int, int]], pixel: int) -> None:
    given_bars, at = [], 0
    for gap, length in lengths:
        given_bars.append(Bar(at + gap, at + gap + length, False, False))
        at += gap + length
    pieces = thinned_bars(given_bars, pixel)
    assert sum(piece.n for piece in pieces) == len(given_bars)
    assert all(piece.end > piece.start for piece in pieces)
    assert all(earlier.end <= later.start for earlier, later in pairwise(pieces) if later.start - earlier.start > pixel)
    for bar in given_bars:
        assert any(piece.start <= bar.start < piece.end + pixel and piece.end >= bar.end - pixel for piece in pieces)


def test_bars_that_a_picture_can_show_are_not_changed() -> None:
    wide = [Bar(0, 30, False, False), Bar(40, 80, False, False)]
    assert thinned_bars(wide, 10) == [Piece(0, 30), Piece(40, 80)]


@given(st.lists(st.integers(0, 200)), st.integers(1, 20))
def test_every_event_is_less_than_a_pixel_after_one_that_is_drawn(times: list[int], pixel: int) -> None:
    kept = thinned_times(sorted(times), pixel)
    assert all(any(0 <= time - other < pixel for other in kept) for time in times)


@pytest.mark.parametrize(("length", "n_edges"), [(3, 0), (10, 0), (40, 5)])
def test_only_bars_with_room_have_an_edge(length: int, n_edges: int) -> None:
    row = Row("f", value="true", intervals=[(100 * place, 100 * place + length) for place in range(5)])
    shapes = LaneShapes(0, 2000, 8.4, 0.01, palette([row]))
    for lane in layout(groups_by([row])).lanes:
        shapes.add(lane)
    assert sum(map(len, shapes.rectangles.values())) == 5
    assert len(shapes.edges) == n_edges


# -- pages -------------------------------------------------------------------------------------------------------------


def test_a_page_says_how_many_rows_it_leaves_out(tmp_path: Path) -> None:
    rows = [Row("f", (f"e{number}",), "true", [(0, 5)]) for number in range(900)]
    drawn = draw_timeline(rows, start=0, end=30, path=tmp_path / "many.svg")
    found = texts(drawn.path)
    assert drawn.n_rows == 900
    assert 0 < drawn.n_left_out < 400
    assert f"{drawn.n_left_out} of 900 rows are left out" in found
    assert sum(text.startswith("f(e") for text in found) == 900 - drawn.n_left_out


def test_five_hundred_entities_with_four_fluents_fit_on_a_page(tmp_path: Path) -> None:
    fluents = ("up", "near", "slow", "late")
    rows = [
        Row(fluent, (str(entity),), "true", [(entity, entity + 50)], columns=("vessel",))
        for fluent in fluents
        for entity in range(500)
    ]
    drawn = draw_timeline(rows, start=0, end=600, path=tmp_path / "fleet.svg", by="vessel")
    found = texts(drawn.path)
    assert drawn.n_left_out == 0
    assert {*map(str, range(500)), *fluents, "vessel"} <= set(found)


def test_merged_intervals_and_events_are_counted_in_a_note(tmp_path: Path) -> None:
    short = [(time, time + 1) for time in range(0, 10_000, 2)]
    rows = [Row("f", value="true", intervals=short), Row("e", times=range(5_000), kind="event")]
    found = " ".join(texts(draw_timeline(rows, start=0, end=10**6, path=tmp_path / "x.svg").path))
    assert "low bars merge 5,000 short intervals" in found
    assert "events are less than" in found


def test_values_that_fit_in_no_bar_are_in_the_legend(tmp_path: Path) -> None:
    rows = [Row("speed", value="slow", intervals=[(0, 2)]), Row("speed", value="fast", intervals=[(2, 900)])]
    found = texts(draw_timeline(rows, start=0, end=1000, path=tmp_path / "x.svg").path)
    assert {"speed", "fast", "speed=slow"} <= set(found)
    assert "speed=fast" not in found


@pytest.mark.parametrize("by", ["vehicle", "Vehicle", "1", "car"])
def test_the_command_groups_by_columns_of_the_input_variables_and_positions(
    by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text("initiatedAt(fast(Car)=true, T) :- happensAt(speed(Car, V), T), V > 50.\n", encoding="utf-8")
    mapping = f"{ROOT}/docs/your-own-data/trips.csv: happensAt(speed(vehicle, kmh), ts)"
    picture = tmp_path / "buses.svg"
    arguments = ["run", str(rules), "--input", mapping, "--times", "iso", "--timeline", str(picture)]
    assert main([*arguments, "--by", by]) == 0
    assert f"wrote {picture}\n" in capsys.readouterr().err
    assert {"bus 7", "bus 12", "fast", "1 Mar 2026", *([] if by == "1" else [by])} <= set(texts(picture))


def test_an_unknown_column_is_refused_before_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mapping = f"{ROOT}/docs/your-own-data/trips.csv: happensAt(speed(vehicle, kmh), ts)"
    arguments = ["run", f"{ROOT}/docs/your-own-data/speeding.prolog", "--input", mapping]
    assert main([*arguments, "--timeline", str(tmp_path / "x.svg"), "--by", "vehicles"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "error[HF756]" in printed.err
    assert "one of `fluent`, `vehicle`, `1`" in printed.err


# -- tall pages --------------------------------------------------------------------------------------------------------


def _many(n: int) -> list[Row]:
    """Vessels with a fluent and an event each; the events of one of them are close to each other."""
    rows = []
    for i in range(n):
        times = [86_400, 86_700, 87_000] if i == 7 else [40_000 * (1 + i % 3)]
        rows.append(Row("at_sea", (f"v{i}",), "true", [(600 * i % 9000, 90_000)], columns=("vessel",)))
        rows.append(Row("turn", (f"v{i}",), None, times=times, kind="event", columns=("vessel",)))
    return rows


def test_the_heading_of_a_tall_page_is_beside_no_other_text() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    rows = _many(300)
    page = layout(groups_by(rows, "vessel"))
    figure = Chart(page, 0, 170_000, palette(rows), DateAxis(), "", "vessel").figure()
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    (caption,) = [text for text in axes.texts if text.get_text() == "vessel"]
    box = caption.get_window_extent()
    others = [*axes.get_xticklabels(), *(tick.label2 for tick in axes.xaxis.get_major_ticks()), *figure.texts]
    shown = [text for text in others if text.get_text().strip() and text.get_visible()]
    assert len(shown) > 4
    assert not [text.get_text() for text in shown if box.overlaps(text.get_window_extent())]


def test_an_event_has_one_shape_in_all_its_lanes() -> None:
    rows = _many(12)
    shapes = Chart(layout(groups_by(rows, "vessel")), 0, 170_000, palette(rows), DateAxis(), "", "").shapes
    assert not any(shapes.diamonds.values())
    apart = [row for row in rows if row.arguments != ("v7",)]
    shapes = Chart(layout(groups_by(apart, "vessel")), 0, 170_000, palette(apart), DateAxis(), "", "").shapes
    assert sum(map(len, shapes.diamonds.values())) == 11
