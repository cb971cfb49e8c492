"""The checkpoints that `rescale` refuses, and the locks that say whether a stream is running."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.spark.streaming.checkpoint_lock import checkpoint_lock
from holdsfor.spark.streaming.identity import (
    FORMAT,
    Identity,
    Manifest,
    begin_generation,
    check_generation,
    check_identity,
    read_manifest,
    write_manifest,
)
from holdsfor.spark.streaming.rescale import rescale
from holdsfor.spark.streaming.state_files import StreamFiles
from holdsfor.spark.streaming.stored_rules import read_rules, store_rules

TEXT = """
initiatedAt(fast(X)=true, T) :- happensAt(speed(X, V), T), limit(X, L), V > L.
limit(ann, 3). limit(bob, 2.5). limit('Eve K', 7).
"""

SETTINGS: Any = (20, 10, 1, 0, None, "s", None, "event", 2, ["ts bigint"])
IDENTITY = asdict(Identity("0", *SETTINGS))


def checkpoint_of(folder: Path) -> tuple[str, StreamFiles]:
    """A checkpoint before its first micro-batch."""
    rules, files = Rules.of(hf.load_text(TEXT)), StreamFiles(str(folder / "holdsfor"))
    identity = Identity(rules.fingerprint(), *SETTINGS)
    write_manifest(files, Manifest(identity))
    store_rules(files, rules)
    return str(folder), files


def test_rules_are_stored_with_their_facts(tmp_path: Path) -> None:
    _, files = checkpoint_of(tmp_path)
    found = read_rules(files)
    assert found is not None
    assert found.fingerprint() == Rules.of(hf.load_text(TEXT)).fingerprint()


def test_a_stream_without_micro_batches_is_rescaled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint, files = checkpoint_of(tmp_path)
    assert main(["spark", "rescale", checkpoint, "--buckets", "5"]) == 0
    expected = "2 buckets before, 5 now: 0 entities, 0 bytes of state before and 0 after\n"
    assert capsys.readouterr().out == expected
    manifest = read_manifest(files)
    assert manifest is not None
    assert manifest.identity.n_buckets == 5


def test_a_running_stream_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.spark.streaming.checkpoint_lock._WAIT_SECONDS", 0.1)
    checkpoint, files = checkpoint_of(tmp_path)
    lock = checkpoint_lock(files)
    with pytest.raises(HoldsforError, match=rf"HF797.*`{checkpoint}` is in use: the stream is running"):
        rescale(checkpoint, buckets=3)
    lock.release()
    assert rescale(checkpoint, buckets=3).buckets == 3


def test_a_stream_that_missed_a_change_of_its_state_stops(tmp_path: Path) -> None:
    """Where there are no locks, a stream may run while its state is rewritten."""
    checkpoint, files = checkpoint_of(tmp_path)
    manifest = read_manifest(files)
    assert manifest is not None
    check_generation(files, manifest)
    rescale(checkpoint, buckets=3)
    with pytest.raises(HoldsforError, match=r"HF793.*was rewritten"):
        check_generation(files, manifest)
    changed = read_manifest(files)
    assert changed is not None
    with pytest.raises(HoldsforError, match=r"HF792.*has gone on to 0"):
        begin_generation(files, changed, 0)
    begin_generation(files, changed, -1)
    begin_generation(files, changed, 7)


def test_a_start_deletes_the_states_that_a_crash_has_left(tmp_path: Path) -> None:
    _, files = checkpoint_of(tmp_path)
    manifest = read_manifest(files)
    assert manifest is not None
    for folder in ("", "generation-2/"):  # the second one is of a change without a manifest
        files.write(f"{folder}state/1/0/000000000001.state", b"")
    begin_generation(files, manifest, -1)
    assert files.folders("") == ["state"]
    files.write("generation-2/begun", b"")
    begin_generation(files, replace(manifest, folder="generation-2"), 7)
    assert files.folders("") == ["generation-2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "HF792.*damaged"),
        ("[]", "HF792.*damaged"),
        (json.dumps({"format": FORMAT + 1}), f"HF792.*newer version of holdsfor: format {FORMAT + 1}"),
        (json.dumps({"format": FORMAT, "identity": {}}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": [], "folder": ""}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": IDENTITY | {"window": "20"}}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": IDENTITY | {"time_unit": "h"}}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": IDENTITY | {"inputs": [1]}}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": IDENTITY, "batch": None}), "HF792.*damaged"),
        (json.dumps({"format": FORMAT, "identity": IDENTITY, "fixed": [{"a": "b"}]}), "HF792.*damaged"),
    ],
)
def test_damaged_and_newer_checkpoints_are_refused(content: str, message: str, tmp_path: Path) -> None:
    checkpoint, _ = checkpoint_of(tmp_path)
    (tmp_path / "holdsfor/stream.json").write_text(content, encoding="utf-8")
    with pytest.raises(HoldsforError, match=message):
        rescale(checkpoint, buckets=3)


def test_other_checkpoints_and_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match=r"HF793.*not the checkpoint"):
        rescale(str(tmp_path / "nothing"), buckets=3)
    checkpoint, files = checkpoint_of(tmp_path / "one")
    with pytest.raises(HoldsforError, match=r"HF770.*at least 1"):
        rescale(checkpoint, buckets=0)
    with pytest.raises(HoldsforError, match=r"HF770.*100,000,000, expected at most 10,000"):
        rescale(checkpoint, buckets=100_000_000)
    store_rules(files, Rules.of(hf.load_text(TEXT + "initially(fast(_)=false).")))
    with pytest.raises(HoldsforError, match=r"HF792.*not those of its state"):
        rescale(checkpoint, buckets=3)
    files.delete("rules.json")
    with pytest.raises(HoldsforError, match=r"HF797.*no copy of the rules"):
        rescale(checkpoint, buckets=3)


def test_damaged_rules_are_refused(tmp_path: Path) -> None:
    checkpoint, _ = checkpoint_of(tmp_path)
    path = tmp_path / "holdsfor/rules.json"
    path.write_text(path.read_text(encoding="utf-8").replace("V > L", "V < L"), encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*rules.json.*damaged"):
        rescale(checkpoint, buckets=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("V > L", "V >= L"), "`fast/1` is changed"),
        (TEXT.replace("limit(bob, 2.5)", "limit(bob, 3)"), "`limit/2` is changed"),
        (TEXT + "initially(slow(_)=true).", "`slow/1` is new"),
        ("initiatedAt(fast(X)=true, T) :- happensAt(speed(X, 3), T).", "`fast/1` is changed, `limit/2` is gone"),
        (TEXT + ":- output(fast/1).", "`:- output(fast/1)` is new"),
        ("\n".join(reversed(TEXT.strip().splitlines())), "the order of the rules is another one"),
        (
            TEXT + "\n".join(f"initially(f{i}(_)=true)." for i in range(7)),
            "`f0/1`, `f1/1`, `f2/1`, `f3/1` and 3 others are new",
        ),
    ],
)
def test_other_rules_are_refused_with_the_names_that_differ(text: str, message: str, tmp_path: Path) -> None:
    _, files = checkpoint_of(tmp_path)
    manifest, rules = read_manifest(files), Rules.of(hf.load_text(text))
    assert manifest is not None
    expected = replace(manifest.identity, fingerprint=rules.fingerprint())
    with pytest.raises(HoldsforError, match=r"HF793.*stream with other rules: " + re.escape(message)):
        check_identity(files, expected, rules, "any", is_new=False)


def test_a_checkpoint_of_an_older_version_is_read(tmp_path: Path) -> None:
    """Format 1 has the identity alone; its stages are not checked, and its rules are stored with the next start."""
    checkpoint, files = checkpoint_of(tmp_path)
    path = tmp_path / "holdsfor/stream.json"
    manifest = read_manifest(files)
    assert manifest is not None
    older = {"format": 1, **json.loads(path.read_text(encoding="utf-8"))["identity"]}
    path.write_text(json.dumps(older), encoding="utf-8")
    assert read_manifest(files) == manifest
    assert check_identity(files, manifest.identity, Rules.of(hf.load_text(TEXT)), "any", is_new=False) == manifest
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == FORMAT
    path.write_text(json.dumps(older), encoding="utf-8")
    assert rescale(checkpoint, buckets=3).buckets == 3
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == FORMAT


def test_a_stream_of_a_version_without_journals_continues_and_is_closed_to_that_version(tmp_path: Path) -> None:
    _, files = checkpoint_of(tmp_path)
    path = tmp_path / "holdsfor/stream.json"
    manifest = read_manifest(files)
    assert manifest is not None
    path.write_text(path.read_text(encoding="utf-8").replace(f'"format": {FORMAT}', '"format": 2'), encoding="utf-8")
    assert read_manifest(files) == manifest
    assert check_identity(files, manifest.identity, Rules.of(hf.load_text(TEXT)), "any", is_new=False) == manifest
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == FORMAT
