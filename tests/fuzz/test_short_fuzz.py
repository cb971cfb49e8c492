"""A short, always equal run of the fuzzer; `make fuzz` is the long one."""

from __future__ import annotations

import gc
import itertools
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.laws import TooSlow, check_text, reduced, time_limit
from tests.fuzz.mutations import corpus
from tests.fuzz.run import Fuzzer
from tests.seeds import examples

N_INPUTS = examples(250)

_PAUSE = """
def collected(phase, info):
    until = process_time() + next(pauses, 0)
    while process_time() < until:
        pass
"""


def test_broken_texts_give_diagnostics_and_never_a_traceback(tmp_path: Path) -> None:
    fuzzer = Fuzzer(seed=2, folder=tmp_path)
    for _ in range(N_INPUTS):
        reproducer = fuzzer.step()
        if reproducer is not None:
            pytest.fail(reproducer.with_suffix(".txt").read_text(encoding="utf-8") + "\n" + reproducer.read_text())


def test_the_texts_that_are_mutated_are_themselves_in_order() -> None:
    for text in corpus():
        check_text(text)


def test_the_same_seed_gives_the_same_inputs(tmp_path: Path) -> None:
    runs = []
    for _ in range(2):
        fuzzer = Fuzzer(seed=5, folder=tmp_path)
        fuzzer.step()
        runs.append(fuzzer.current.read_bytes())
    assert runs[0] == runs[1]


def test_an_endless_input_is_stopped() -> None:
    with pytest.raises(TooSlow), time_limit(0.05):
        all(True for _ in itertools.count())


def test_an_endless_input_is_stopped_also_when_the_signal_falls_into_the_garbage_collector() -> None:
    pauses = iter([0.2])
    namespace: dict[str, Any] = {"__name__": "elsewhere", "process_time": time.process_time, "pauses": pauses}
    exec(_PAUSE, namespace)
    gc.callbacks.append(namespace["collected"])
    try:
        with pytest.raises(TooSlow), time_limit(0.05):
            all(n > 0 or gc.collect() >= 0 for n in itertools.count())
    finally:
        gc.callbacks.remove(namespace["collected"])


def test_a_reproducer_is_reduced_to_the_failing_text() -> None:
    assert reduced("some text with a # in it", lambda text: "#" in text) == "#"
