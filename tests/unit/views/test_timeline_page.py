"""Large timelines: groups by entity, dates, short intervals, and pages that count the rows left out."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem
from holdsfor.views.chart import Chart
from holdsfor.views.chart_lanes import LaneShapes
from holdsfor.views.lanes import Group, groups_by
from holdsfor.views.palette import HUES, palette
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


# -- colours -----------------------------------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes: what people without one kind of cones see, in linear light.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def lab(colour: str, vision: str) -> Any:
    """A colour in the space CIELAB, where a distance of 2 is just noticed side by side."""
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(np.array(SEEN[vision]) @ linear, 0, 1) / WHITE
    x, y, z = (np.cbrt(each) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", SEEN)
def test_colours_are_far_apart_with_every_colour_vision(vision: str) -> None:
    for one, other in combinations(HUES, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > 15, (one, other)


def test_every_pair_has_its_own_colour_while_there_are_enough() -> None:
    rows = [Row(f"f{fluent}", ("a",), f"{value}") for fluent in range(3) for value in range(5)]
    assert len(set(palette([*rows, Row("up", value="true")]).colours.values())) == 16


def test_the_values_of_a_fluent_differ_also_if_there_are_more_than_colours() -> None:
    rows = [Row(f"f{fluent}", ("a",), f"{value}") for fluent in range(3) for value in range(40)]
    colours = palette(rows).colours
    assert all(len({colours[f"f{fluent}", f"{value}"] for value in range(40)}) == 40 for fluent in range(3))


def test_input_is_grey_unless_it_has_several_values() -> None:
    rows = [Row("near", value="true", kind="input"), *(Row("at", value=each, kind="input") for each in ("pub", "home"))]
    assert list(palette(rows).colours.values()) == ["#868e96", "#0072b2", "#d55e00"]


def test_a_legend_has_numbers_in_their_order_and_names_in_theirs(tmp_path: Path) -> None:
    values = ["10", "9", "-2", "home", "9.5", "away"]
    rows = [
        Row(name, value=value, intervals=[(2 * place, 2 * place + 1)])
        for name in ("zone", "area")
        for place, value in enumerate(values)
    ]
    found = texts(draw_timeline(rows, start=0, end=2000, path=tmp_path / "x.svg").path)
    ordered = ["-2", "9", "9.5", "10", "away", "home"]
    entries = [f"{name}={value}" for name in ("area", "zone") for value in ordered]
    assert [text for text in found if "=" in text] == entries


def test_a_legend_explains_the_mark_of_starts_where_there_is_one(tmp_path: Path) -> None:
    row = Row("up", value="true", intervals=[(10, 20)])
    for end, is_there in ((40, True), (4000, False)):
        found = texts(draw_timeline([row], start=0, end=end, path=tmp_path / "x.svg").path)
        assert ("start of an interval" in found) == is_there


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
    for lane in layout(groups_by([row]), 0, 2000).lanes:
        shapes.add(lane)
    assert sum(map(len, shapes.rectangles.values())) == 5
    assert len(shapes.edges) == n_edges


# -- pages -------------------------------------------------------------------------------------------------------------


def test_a_page_has_the_longest_rows_of_each_fluent_and_names_the_others(tmp_path: Path) -> None:
    rows = [Row("f", (f"e{number}",), "true", [(0, number % 450)]) for number in range(1, 900)]
    rows += [Row("short", (f"s{number}",), "true", [(9, 10)]) for number in range(20)]
    drawn = draw_timeline(rows, start=0, end=500, path=tmp_path / "many.svg")
    found = texts(drawn.path)
    assert drawn.n_rows == 919
    assert 0 < drawn.n_left_out < 400
    which = f"{drawn.n_left_out} of 919 rows, in each fluent, those with the shortest total duration"
    assert drawn.left_out == which
    assert f"not drawn: {which}" in found
    assert sum(text.startswith("short(") for text in found) == 20
    kept = [int(text[3:-1]) for text in found if text.startswith("f(e")]
    assert len(kept) == 899 - drawn.n_left_out
    assert kept == sorted(kept), "the order is that of the rows"
    assert min(number % 450 for number in kept) >= max({n % 450 for n in range(1, 900)} - {n % 450 for n in kept})


def test_a_page_of_entities_has_those_with_the_longest_total(tmp_path: Path) -> None:
    rows = [Row("at_sea", (f"v{n}",), "true", [(0, 10 + n)], columns=("vessel",)) for n in range(2000)]
    rows += [Row("turn", (f"v{n}",), None, times=[5], kind="event", columns=("vessel",)) for n in range(2000)]
    drawn = draw_timeline(rows, start=0, end=5000, path=tmp_path / "fleet.svg", by="vessel")
    kept = [int(text[1:]) for text in texts(drawn.path) if text.startswith("v") and text[1:].isdigit()]
    assert drawn.n_left_out == 4000 - 2 * len(kept)
    assert drawn.left_out.endswith("rows, those of the entities with the shortest total duration")
    assert kept == list(range(2000 - len(kept), 2000))


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
    page = layout(groups_by(rows, "vessel"), 0, 170_000)
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
    shapes = Chart(layout(groups_by(rows, "vessel"), 0, 170_000), 0, 170_000, palette(rows), DateAxis(), "", "").shapes
    assert not any(shapes.diamonds.values())
    apart = [row for row in rows if row.arguments != ("v7",)]
    shapes = Chart(
        layout(groups_by(apart, "vessel"), 0, 170_000), 0, 170_000, palette(apart), DateAxis(), "", ""
    ).shapes
    assert sum(map(len, shapes.diamonds.values())) == 11
