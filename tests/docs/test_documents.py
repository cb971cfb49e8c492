"""Documents are true: commands print the shown output, Python blocks run, links and files exist."""

from __future__ import annotations

import doctest
import os
import re
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from holdsfor.codes import CODES
from tests.docs.console import ROOT, commands

DATA_SETS = ROOT / "docs" / "data-sets.md"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = [(document, *command) for document in DOCUMENTS if document != DATA_SETS for command in commands(document)]
DIAGNOSTICS_PAGE = ROOT / "docs" / "diagnostics.md"


@pytest.mark.parametrize(("document", "arguments", "output"), SHOWN, ids=lambda value: getattr(value, "name", None))
def test_commands_in_documents_print_the_shown_output(
    document: Path,
    arguments: list[str],
    output: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    code = main(arguments)
    assert capsys.readouterr().out == output
    assert code == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_python_in_documents_runs(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = document.read_text(encoding="utf-8")
    if "import pandas" in text:
        pytest.importorskip("pandas")
    if 'os.environ["HOLDSFOR_DATA"]' in text:
        data = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))
        if not (data / "bc-2018").is_dir():
            pytest.skip(f"no real data: {data} not found (set HOLDSFOR_DATA)")
        monkeypatch.setenv("HOLDSFOR_DATA", str(data))
    results = doctest.testfile(str(document), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_diagnostic_code_is_documented() -> None:
    page = _diagnostics_page()
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN"):
        DIAGNOSTICS_PAGE.write_text(page, encoding="utf-8")
    assert DIAGNOSTICS_PAGE.read_text(encoding="utf-8") == page


def _diagnostics_page() -> str:
    """The page as it must be: one table per phase, one line per code."""
    headings = {
        "1": "The text is not in the language",
        "2": "The rules have no meaning",
        "3": "The rules are suspicious",
        "4": "An engine cannot compute the rules",
        "5": "A record or an input file does not fit",
        "6": "A run cannot go on",
        "7": "A command was called wrongly",
    }
    parts = [
        "# Diagnostics\n\nEvery message has a stable code, followed by the place, the source line with a caret, and a"
        " hint. Errors stop a\ncommand with exit code 2, or with 1 for a failure outside the program (`HF620`,"
        " `HF621`). Warnings and notes do not\nstop a command.\n"
    ]
    for phase, heading in headings.items():
        rows = [
            f"| `{code}` | {entry.severity} | {entry.meaning} |" for code, entry in CODES.items() if code[2] == phase
        ]
        parts.append(f"\n## {heading}\n\n| code | severity | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    assert sum(part.count("| `HF") for part in parts) == len(CODES)
    return "".join(parts)


SHOWN_FILES = re.compile(r"^`(?P<path>docs/[^`\n]+)`:\n\n```\w*\n(?P<content>.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_files_in_documents_are_the_files_that_are_used(document: Path) -> None:
    for match in SHOWN_FILES.finditer(document.read_text(encoding="utf-8")):
        assert (ROOT / match["path"]).read_text(encoding="utf-8") == match["content"]


@pytest.mark.parametrize("page", ["your-own-data", "cookbook", "data-sets"])
def test_a_page_shows_all_its_files(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    shown = {ROOT / match["path"] for match in SHOWN_FILES.finditer(text)}
    assert shown == set((ROOT / "docs" / page).iterdir())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_to_sections_lead_to_a_heading(document: Path) -> None:
    for page, section in re.findall(r"\]\(([\w./-]*\.md)?#([\w-]+)\)", document.read_text(encoding="utf-8")):
        target = (document.parent / page).read_text(encoding="utf-8") if page else document.read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", target, re.MULTILINE)
        known = {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
        assert section in known, f"{document.name} links to {page}#{section}"
