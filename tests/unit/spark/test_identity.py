"""A checkpoint is continued by the stream that wrote it, and by no other one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import HoldsforError
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import (
    FORMAT,
    Identity,
    Manifest,
    check_identity,
    given_columns,
    write_manifest,
)
from holdsfor.spark.streaming.rescale import rescale
from holdsfor.spark.streaming.state_files import FILES, StreamFiles
from holdsfor.spark.streaming.stored_rules import store_rules

RULES = Rules.of(hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T)."))
IDENTITY = Identity(
    RULES.fingerprint(), 20, 10, 1, 0, None, "s", None, "event", 2, ["ts bigint"], [""], ["source part"]
)


@pytest.mark.parametrize(
    ("progress", "found"),
    [(["source region"], "`source region`"), ([], "none"), (["source part", "arrival at"], "`sou")],
)
def test_other_columns_of_sources_and_arrivals_are_refused(tmp_path: Path, progress: list[str], found: str) -> None:
    files = StreamFiles(str(tmp_path))
    write_manifest(files, Manifest(IDENTITY))
    expected = f"HF793.*with the columns of sources and arrivals `source part`, found {found}"
    with pytest.raises(HoldsforError, match=expected):
        check_identity(files, replace(IDENTITY, progress=progress), RULES, "", is_new=False)
    assert check_identity(files, IDENTITY, RULES, "", is_new=False).identity == IDENTITY


@pytest.mark.parametrize(
    ("name", "shown"),
    [("has_integer_times", '`times="integer"`'), ("has_clock", "a timeout of idle sources")],
)
def test_a_setting_that_is_added_or_removed_is_refused(name: str, shown: str, tmp_path: Path) -> None:
    files, rules = StreamFiles(str(tmp_path)), RULES
    for was in (False, True):
        known = replace(IDENTITY, **{name: was})  # type: ignore[arg-type]
        write_manifest(files, Manifest(known))
        expected = f"HF793.*the checkpoint is of a stream {'with' if was else 'without'} {shown}"
        with pytest.raises(HoldsforError, match=expected):
            check_identity(files, replace(IDENTITY, **{name: not was}), rules, "", is_new=False)  # type: ignore[arg-type]
        assert check_identity(files, known, rules, "", is_new=False).identity == known


def test_lines_and_whole_files_are_different_inputs(tmp_path: Path) -> None:
    """A folder of lines that becomes one of CSV files; older versions have described both in the same way."""
    files = StreamFiles(str(tmp_path))
    lines = "__line binary,__file bigint,__block bigint"
    write_manifest(files, Manifest(replace(IDENTITY, inputs=[lines])))
    now = replace(IDENTITY, inputs=[given_columns(f"{lines},__path string,__first boolean")])
    assert check_identity(files, now, RULES, "", is_new=False).identity == now
    whole = replace(IDENTITY, inputs=[given_columns("__line binary,__path string")])
    with pytest.raises(HoldsforError, match=r"HF793.*with the inputs"):
        check_identity(files, whole, RULES, "", is_new=False)


def test_decisions_that_spark_has_not_reached_are_refused(tmp_path: Path) -> None:
    log = DecisionLog(StreamFiles(str(tmp_path)))
    log.check_committed(-1)
    for number in range(4):
        log.add(Decision(number))
    (tmp_path / "decisions" / "notes.txt").touch()
    log.check_committed(3)
    log.check_committed(2)
    with pytest.raises(HoldsforError, match=r"HF792.*the state of micro-batch 3, and Spark's commits end at 1"):
        log.check_committed(1)


def test_a_checkpoint_that_has_lost_the_commits_of_spark_is_not_rescaled(tmp_path: Path) -> None:
    files = StreamFiles(str(tmp_path / FILES))
    write_manifest(files, Manifest(IDENTITY))
    store_rules(files, RULES)
    DecisionLog(files).add(Decision(5, 0, 10, 20))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(HoldsforError, match=r"HF792.*Spark's commits end at -1"):
        rescale(str(tmp_path), buckets=3)
    assert [path for path in sorted(tmp_path.rglob("*")) if path.name != "lock"] == before
    assert f'"format": {FORMAT}' in (tmp_path / FILES / "stream.json").read_text(encoding="utf-8")


def test_state_without_decisions_is_refused(tmp_path: Path) -> None:
    files = StreamFiles(str(tmp_path / FILES))
    write_manifest(files, Manifest(IDENTITY))
    store_rules(files, RULES)
    files.write("state/1/0/000000000003.state", b"")
    (tmp_path / "commits").mkdir()
    (tmp_path / "commits" / "3").touch()
    with pytest.raises(HoldsforError, match=r"HF792.*the state of a stream without its decisions"):
        rescale(str(tmp_path), buckets=3)
