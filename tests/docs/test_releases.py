"""The version has one source, and the changelog has a section for every release."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest

import holdsfor
from tests.docs.console import ROOT

SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
RELEASE = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")
GROUP = re.compile(r"^### (.*)$", re.MULTILINE)
GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def releases() -> list[tuple[str, str]]:
    """Versions and dates, the newest first."""
    unreleased, *sections = SECTION.findall(CHANGELOG)
    assert unreleased == "[Unreleased]"
    found = [RELEASE.fullmatch(section) for section in sections]
    return [(match[1], match[2]) for match in found if match is not None] if all(found) else pytest.fail(str(sections))


def numbers(version: str) -> list[int]:
    return list(map(int, version.split(".")))


def test_the_package_has_the_version_that_the_module_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "holdsfor.__version__"}


def test_releases_are_in_order_and_dated() -> None:
    versions, dates = [version for version, _ in releases()], [day for _, day in releases()]
    assert versions == sorted(versions, key=numbers, reverse=True)
    assert dates == sorted(dates, reverse=True)
    assert all(date.fromisoformat(day) for day in dates)


def test_groups_are_those_of_keep_a_changelog() -> None:
    assert set(GROUP.findall(CHANGELOG)) <= GROUPS


def test_a_version_is_the_newest_release_or_is_in_development() -> None:
    """`1.2.0.dev0` is the state before the release 1.2.0, which has no section yet."""
    version, _, is_in_development = holdsfor.__version__.partition(".dev")
    newest = next((version for version, _ in releases()), "0.0.0")
    if is_in_development:
        assert numbers(version) > numbers(newest)
    else:
        assert version == newest


@pytest.mark.parametrize("document", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_documents_do_not_repeat_the_version(document: Path) -> None:
    shown = re.findall(r"holdsfor[ =-]+(\d+\.\d+\.\d+\S*)", document.read_text(encoding="utf-8"))
    assert set(shown) <= {holdsfor.__version__}
