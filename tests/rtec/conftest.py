"""Prints, after the tests, how much of RTEC's own tests and examples agrees."""

from __future__ import annotations

from collections.abc import Callable

import pytest

_FIGURES: list[tuple[str, int, int]] = []


@pytest.fixture
def count() -> Callable[[str, int, int], None]:
    """Notes how many answers there were, and how many of them are known to differ."""

    def note(what: str, n_answers: int, n_explained: int) -> None:
        _FIGURES.append((what, n_answers, n_explained))

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _FIGURES:
        return
    terminalreporter.section("holdsfor and RTEC")
    terminalreporter.write_line(f"{'':52} {'answers':>9} {'agree':>9} {'explained':>9}")
    for what, n_answers, n_explained in sorted(_FIGURES):
        terminalreporter.write_line(f"{what:52} {n_answers:9,} {n_answers - n_explained:9,} {n_explained:9,}")
