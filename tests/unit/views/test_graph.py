"""The dependency graph as text and as a picture: its content, and the errors if it cannot be drawn."""

from __future__ import annotations

import re
import resource
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from holdsfor.errors import UsageProblem
from holdsfor.views import graphviz
from holdsfor.views.graph import Drawing, DrawnEdge, DrawnVertex, has_graphviz, render_graph, to_dot, to_mermaid
from holdsfor.views.picture_file import write_picture
from tests.unit.views.drawings import AWKWARD_NAMES, awkward, quotes

GOLDEN = Path(__file__).parents[2] / "golden" / "views"

needs_graphviz = pytest.mark.skipif(
    not has_graphviz(), reason="no Graphviz: neither the package pygraphviz nor the program dot is installed"
)


@pytest.mark.parametrize("name", ["quotes", "awkward"])
def test_dot_is_the_golden_text(name: str) -> None:
    drawing = {"quotes": quotes, "awkward": awkward}[name]()
    assert to_dot(drawing) == (GOLDEN / f"{name}.dot").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["quotes", "awkward"])
def test_mermaid_is_the_golden_text(name: str) -> None:
    drawing = {"quotes": quotes, "awkward": awkward}[name]()
    assert to_mermaid(drawing) == (GOLDEN / f"{name}.mmd").read_text(encoding="utf-8")


def test_a_component_of_one_vertex_has_no_box() -> None:
    alone = Drawing([DrawnVertex("a", "a", "simple", 0, 7)], [])
    assert "cluster" not in to_dot(alone)
    assert "component" not in to_mermaid(alone)


def test_an_edge_given_twice_is_drawn_once_and_two_delays_are_two_edges() -> None:
    vertices = [DrawnVertex("a", "a", "simple", 0, 0), DrawnVertex("b", "b", "simple", 0, 0)]
    drawing = Drawing(
        vertices, [DrawnEdge("a", "b", "f", "5"), DrawnEdge("a", "b", "f", "5"), DrawnEdge("a", "b", "f", "9")]
    )
    assert [edge.label for edge in drawing.edges] == ["5", "9"]


def test_the_legend_has_only_the_kinds_that_occur() -> None:
    text = to_dot(Drawing([DrawnVertex("a", "a", "static", 0, 0)], []))
    assert "statically determined fluent" in text
    assert not re.search("simple fluent|input event|at once|after a delay", text)


def test_an_empty_graph_can_be_written() -> None:
    assert to_dot(Drawing([], [])).startswith("digraph")
    assert to_mermaid(Drawing([], [])) == "flowchart LR\n"


def test_vertices_need_distinct_names_and_edges_need_their_vertices() -> None:
    vertex = DrawnVertex("a", "a", "simple", 0, 0)
    with pytest.raises(ValueError, match="two vertices have the name `a`"):
        Drawing([vertex, vertex], [])
    with pytest.raises(ValueError, match="vertex `b` not found"):
        Drawing([vertex], [DrawnEdge("a", "b", "i")])


def test_names_that_differ_only_in_invisible_characters_stay_distinct() -> None:
    vertices = [
        DrawnVertex(name, "x", "simple", 0, n) for n, name in enumerate(["\x00", "\x01", "\\u0000", "\\\\u0000"])
    ]
    names = re.findall(r'^ +("(?:\\.|[^"\\])*") \[label="x"', to_dot(Drawing(vertices, [])), re.MULTILINE)
    assert len(set(names)) == 4


@needs_graphviz
def test_svg_shows_every_label_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    render_graph(awkward(), path)
    texts = [element.text for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    for name in AWKWARD_NAMES:
        for line in filter(None, name.split("\n")):
            assert line in texts


@needs_graphviz
def test_svg_shows_levels_as_columns_and_boxes_components(tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    render_graph(quotes(), path)
    svg = ElementTree.parse(path)
    places = {
        element.text: float(element.attrib["x"])
        for element in svg.iter("{http://www.w3.org/2000/svg}text")
        if element.text
    }
    columns = ["level 0", "level 1", "level 2", "level 3"]
    assert sorted(columns, key=places.__getitem__) == columns
    for label, column in [("quote(M,C,G)=true", "level 1"), ("contract(M,C,G)=true", "level 2")]:
        assert places[label] == pytest.approx(places[column], abs=5)
    boxes = [e for e in svg.iter("{http://www.w3.org/2000/svg}g") if e.attrib.get("class") == "cluster"]
    assert len(boxes) == 1


@needs_graphviz
@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_pictures_of_the_same_graph_are_the_same(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    render_graph(quotes(), first)
    render_graph(quotes(), second)
    assert first.read_bytes() == second.read_bytes()


@needs_graphviz
def test_png_is_large_enough_to_read(tmp_path: Path) -> None:
    path = tmp_path / "directory" / "graph.png"
    render_graph(quotes(), path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = (int.from_bytes(content[place : place + 4], "big") for place in (16, 20))
    assert width > 1000
    assert height > 300


@pytest.mark.parametrize(("suffix", "start"), [(".dot", "digraph"), (".mmd", "flowchart"), (".DOT", "digraph")])
def test_text_needs_no_graphviz(tmp_path: Path, suffix: str, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphviz, "_commands", lambda _: [])
    path = tmp_path / f"graph{suffix}"
    render_graph(quotes(), path)
    assert path.read_text(encoding="utf-8").startswith(start)


def test_without_graphviz_the_hint_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphviz, "_commands", lambda _: [])
    with pytest.raises(UsageProblem) as problem:
        render_graph(quotes(), tmp_path / "graph.svg")
    assert str(problem.value) == (
        "error[HF752]: Graphviz not found, which draws the graph as .svg\n"
        "hint: `pip install 'holdsfor[graph]'`, or `apt-get install graphviz`; .dot and .mmd files need neither"
    )


def test_the_error_contains_the_message_of_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphviz, "_commands", lambda _: [["sh", "-c", "cat >/dev/null; echo no luck >&2; exit 3"]])
    with pytest.raises(UsageProblem, match=r"HF753.*exit code 3: no luck"):
        render_graph(quotes(), tmp_path / "graph.svg")


def test_the_error_for_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"HF750.*expected \.svg, \.png, \.dot or \.mmd, found `\.jpg`"):
        render_graph(quotes(), tmp_path / "graph.jpg")
    with pytest.raises(UsageProblem, match="found no suffix"):
        render_graph(quotes(), tmp_path / "graph")


def test_a_file_that_cannot_be_written_is_a_usage_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageProblem, match=r"HF754.*cannot write the picture `graph\.dot`"):
        render_graph(quotes(), tmp_path / "file" / "graph.dot")


@pytest.mark.parametrize("suffix", [".dot", ".svg"])
def test_a_picture_is_whole_or_absent(suffix: str, tmp_path: Path) -> None:
    """On a full disk, here a limit for the size of files, the old picture stays, and no part of the new one."""
    path = tmp_path / f"picture{suffix}"
    write_picture(path, b"old")
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(UsageProblem, match="HF754"):
            write_picture(path, b"x" * 100_000)
        with pytest.raises(UsageProblem, match="HF754"):
            write_picture(tmp_path / f"new{suffix}", b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
