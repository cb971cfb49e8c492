"""The site of the documentation: no network, rendered definition lists and tables, every page in the index."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.console import ROOT

pytest.importorskip("mkdocs", reason="MkDocs is not installed")

PAGES = sorted(path for path in (ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mkdocs.commands.build import build  # type: ignore[import-not-found, unused-ignore]
    from mkdocs.config import load_config  # type: ignore[import-not-found, unused-ignore]

    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


class _Loaded(HTMLParser):
    """The addresses that a browser loads with a page, without links to follow."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag != "a" and given.get("rel") != "canonical":
            self.addresses += [value for name in ("src", "href") if (value := given.get(name))]


def test_pages_load_nothing_from_a_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = _Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert [address for address in loaded.addresses if re.match(r"(https?:)?//", address)] == [], page
    for style in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")) == [], style


def test_definition_lists_and_tables_are_rendered(site: Path) -> None:
    language = (site / "language" / "index.html").read_text(encoding="utf-8")
    assert "<dt><strong>Settled</strong></dt>" in language
    for page in PAGES:
        html = site / ("" if page.stem == "index" else page.stem) / "index.html"
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", html.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert r"\|" not in html.read_text(encoding="utf-8"), f"{page.name} shows the backslash of a cell: write &#124;"
        assert not re.search(r"\|---|\n:   \S", text), f"{page.name} has a table or a list that is not rendered"


def test_every_page_is_in_the_navigation_and_in_the_index() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert re.search(rf": {re.escape(page.name)}$", navigation, re.MULTILINE), page.name
        assert page.stem == "index" or f"]({page.name})" in index, page.name
