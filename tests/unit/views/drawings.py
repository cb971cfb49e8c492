"""Graphs that the tests of the views draw."""

from __future__ import annotations

from holdsfor.views.graph import Drawing, DrawnEdge, DrawnVertex

__all__ = ["AWKWARD_NAMES", "awkward", "quotes"]


def quotes() -> Drawing:
    """Quotes that expire: a component with a delay, and every kind of vertex that depends on it."""
    return Drawing(
        [
            DrawnVertex("present_quote/3", "present_quote(M,C,G)", "input event", 0, 0),
            DrawnVertex("accept_quote/3", "accept_quote(C,M,G)", "input event", 0, 1),
            DrawnVertex("suspended/1=true", "suspended(M)=true", "input fluent", 0, 2),
            DrawnVertex("quote/3=true", "quote(M,C,G)=true", "simple", 1, 3),
            DrawnVertex("quote/3=false", "quote(M,C,G)=false", "simple", 1, 3),
            DrawnVertex("pow/2=true", "pow(C,accept_quote(C,M,G))=true", "static", 2, 4),
            DrawnVertex("contract/3=true", "contract(M,C,G)=true", "simple", 2, 5),
            DrawnVertex("alarm/1", "alarm(M)", "event", 3, 6),
        ],
        [
            DrawnEdge("present_quote/3", "quote/3=true", "i"),
            DrawnEdge("accept_quote/3", "quote/3=false", "i"),
            DrawnEdge("quote/3=true", "quote/3=false", "f", "5"),
            DrawnEdge("quote/3=false", "quote/3=true", "i"),
            DrawnEdge("quote/3=true", "pow/2=true", "i"),
            DrawnEdge("suspended/1=true", "pow/2=true", "i"),
            DrawnEdge("quote/3=true", "contract/3=true", "i"),
            DrawnEdge("accept_quote/3", "contract/3=true", "i"),
            DrawnEdge("contract/3=true", "alarm/1", "i"),
        ],
    )


AWKWARD_NAMES = [
    'say("hi")',
    "back\\slash\\n\\N",
    "ends in \\",
    "a&amp;b <b>",
    "日本語(é)=→",
    "level 0",
    "[]{}|#;:`*_a_ _b$~",
    "- item",
    "1. one",
    "two\nlines",
    "end",
    '"',
    "%% comment",
    "a-->b",
    "'it''s'(X)=[1,2|T]",
    "",
]


def awkward() -> Drawing:
    """Every name that could be taken for markup, as identifier, as label and as delay."""
    vertices = [DrawnVertex(name, name, "simple", 0, number) for number, name in enumerate(AWKWARD_NAMES)]
    return Drawing(vertices, [DrawnEdge(AWKWARD_NAMES[0], name, "f", name) for name in AWKWARD_NAMES])
