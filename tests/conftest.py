"""Random tests are the same for one commit on every machine; those of `make test-long` are new every time."""

from __future__ import annotations

import gc
import os
import signal
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import seeds

if TYPE_CHECKING:
    from tests.scheduling import Scheduling

# Neither a deadline nor the speed at which examples are made: both depend on what else the machine does.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# A shell that starts a command in the background lets it ignore Ctrl-C, and so would the processes that tests start.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)

settings.register_profile("short", _ANY_MACHINE, max_examples=seeds.examples(50), derandomize=True)
settings.register_profile("long", _ANY_MACHINE, max_examples=seeds.examples(50), print_blob=True)
settings.load_profile("long" if seeds.IS_LONG else "short")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Where there are several workers, let one of them have the JVM."""
    from tests.scheduling import Scheduling

    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose turn comes with another commit, unless their file is named."""
    if any(".py" in argument for argument in config.args):
        return
    due: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        turn = item.get_closest_marker("in_turn")
        (due if turn is None or seeds.is_due(item.nodeid, turn.args[0]) else others).append(item)
    items[:] = due
    config.hook.pytest_deselected(items=others)


def pytest_collection_finish() -> None:
    """Leave the modules and the tests out of later garbage collections, which take a fifth of the processor time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let the end of the process free the modules; extensions report objects that are left then."""
    gc.unfreeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give way to the worker with the JVM, which takes longest: it begins with the tests on Spark."""
    if "PYTEST_XDIST_WORKER" in os.environ and not item.nodeid.startswith("tests/spark/"):
        _give_way()


@cache
def _give_way() -> None:
    os.nice(5)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to run the same random cases again; a header would be hidden by `-q`."""
    which = "whole pools of seeds" if seeds.IS_LONG else f"seeds of rotation {seeds.ROTATION}"
    again = "HOLDSFOR_LONG=1" if seeds.IS_LONG else f"HOLDSFOR_ROTATION={seeds.ROTATION}"
    terminalreporter.write_line(f"{which}, again with {again}")
