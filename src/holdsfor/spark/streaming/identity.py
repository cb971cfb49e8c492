"""The identity of a stream: the settings that a restart must have in common with the stream that wrote a checkpoint.

The file `stream.json` has the identity, and the folder with the state of the stream. A change of the state writes the
new state into another folder, and then replaces this one file.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from holdsfor.analysis.rule_changes import rule_changes
from holdsfor.distribution.stages import FixedStage
from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.sources.times import Unit
from holdsfor.spark.streaming.state_files import RESTART, StreamFiles, number_of, numbered
from holdsfor.spark.streaming.stored_json import value_of
from holdsfor.spark.streaming.stored_rules import read_rules

__all__ = [
    "FORMAT",
    "LATER",
    "PLACE",
    "Identity",
    "Manifest",
    "begin_generation",
    "check_generation",
    "check_identity",
    "given_columns",
    "last_commit",
    "read_manifest",
    "write_manifest",
]

FORMAT = 7
"""Increases with every change of the files of a stream or of their meaning.

Format 3 has journals, format 4 has states in parts, format 5 has digests of records that wait, format 6 has the outputs
of each micro-batch and whether outputs have integers as times, format 7 has the limits of records that are ahead.
"""

PLACE = Hint("give the folder of `checkpointLocation`", on_command_line="give the folder of `--checkpoint`")
"""The hint for a folder that is not the checkpoint of a stream."""

_ADDED = (",__path string,__first boolean", ",__begin bigint")
_FILE = "stream.json"
_BEGUN = "begun"
_GENERATION = "generation-"
_SHOWN = {
    "allen_memory": "memory of Allen relations",
    "time_unit": "unit of time",
    "n_buckets": "number of buckets",
    "inputs": "inputs",
    "columns": "columns",
    "progress": "columns of sources and arrivals",
    "formats": "input formats",
    "zone": "time zone",
    "tick": "clock tick",
}


@dataclass(frozen=True)
class Identity:
    """The rules, by their fingerprint, and the settings of a stream, with the number of buckets of its state.

    `inputs` are the types of the inputs, `columns` the descriptions of their columns, `progress` the columns of sources
    and arrivals, `formats` the formats of lines. `has_integer_times` if `times="integer"` was given, `has_clock` if a
    clock is one of the sources in Spark's checkpoint. Older versions have not noted the last five.
    """

    fingerprint: str
    window: int
    step: int
    tick: int
    start: int | None
    allen_memory: int | None
    time_unit: Unit
    zone: str | None
    clock: str
    n_buckets: int
    inputs: list[str]
    columns: list[str] | None = None
    progress: list[str] | None = None
    formats: list[str] | None = None
    has_integer_times: bool | None = None
    has_clock: bool | None = None


LATER = ("columns", "progress", "formats", "has_integer_times", "has_clock")
"""The fields that older versions have not noted; a stream of such a version is not compared in these."""


@dataclass(frozen=True)
class Manifest:
    """The identity of a stream, the folder with its state, and the stages of its rules, if they are known.

    State that was rewritten continues after the micro-batch `batch`. State that was computed anew has no results yet
    after the query time `restarted`; its first window begins at the time-point `begins`. The first stages are `fixed`:
    they continue from those of earlier rules, by the paths of their events and FVPs.
    """

    identity: Identity
    folder: str = ""
    batch: int = -1
    stages: str | None = None
    restarted: int | None = None
    begins: int | None = None
    fixed: list[dict[str, list[int] | None]] = field(default_factory=list)

    @property
    def fixed_stages(self) -> tuple[FixedStage, ...]:
        return tuple(
            {name: None if path is None else tuple(path) for name, path in stage.items()} for stage in self.fixed
        )

    def is_restarted(self, previous: int | None) -> bool:
        """Whether the query times after an earlier one are the first of rules that were changed."""
        return self.restarted is not None and self.restarted == previous

    def begins_after(self, stage: int, previous: int | None) -> bool:
        """Whether the query times after an earlier one are the first of a stage, which has begun with changed rules."""
        return self.is_restarted(previous) and stage > len(self.fixed)

    @property
    def next_folder(self) -> str:
        """The folder of the state after a change."""
        return f"{_GENERATION}{int(self.folder.rpartition('-')[2] or 1) + 1}"


def read_manifest(files: StreamFiles) -> Manifest | None:
    """The manifest of the stream that has written the files, or None. Format 1 has an identity only."""
    if _FILE not in files.names(""):
        return None
    try:
        found: dict[str, Any] = json.loads(files.read(_FILE))
        version = found.pop("format")
        if version not in range(1, FORMAT + 1):
            raise _other_version(version)
        if version == 1:
            return Manifest(value_of(Identity, found))
        return value_of(Manifest, found)
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"the file `{_FILE}` of the checkpoint is damaged"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None


def given_columns(described: str) -> str:
    """The columns of an input without those that older versions did not add to the lines of files.

    >>> given_columns("__line binary,__file bigint,__block bigint,__path string,__first boolean")
    '__line binary,__file bigint,__block bigint'
    >>> given_columns("__line binary,__path string,__begin bigint")
    '__line binary,__path string'
    """
    return next((described.removesuffix(each) for each in _ADDED if described.endswith(each)), described)


def _other_version(version: Any) -> DataProblem:
    message = f"the checkpoint is from a newer version of holdsfor: format {version}, expected at most {FORMAT}"
    hint = "continue the stream with the version that wrote it, or start another one with a new checkpoint"
    return DataProblem(Diagnostic("HF792", message, hint=hint))


def write_manifest(files: StreamFiles, manifest: Manifest) -> None:
    files.write(_FILE, json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1).encode())


def last_commit(checkpoint: str) -> int:
    """The number of the last micro-batch that Spark has committed in a checkpoint, or -1."""
    return max(map(number_of, numbered(StreamFiles(f"{checkpoint}/commits").names(""))), default=-1)


def check_identity(files: StreamFiles, expected: Identity, rules: Rules, stages: str, *, is_new: bool) -> Manifest:
    """The manifest of a stream, a new one for a new checkpoint; the checkpoint of another stream is refused."""
    found = read_manifest(files)
    if found is None:
        if not is_new:
            message = "the checkpoint is of a stream that `hf.spark.stream` has not written"
            raise UsageProblem(Diagnostic("HF793", message, hint=_ANOTHER))
        found = Manifest(expected, stages=stages)
        write_manifest(files, found)
    for name, was in sorted(asdict(found.identity).items(), key=lambda each: each[0] == "fingerprint"):
        now = getattr(expected, name)
        if was != now:
            raise (
                _other_rules(files.inside(found.folder), rules)
                if name == "fingerprint"
                else _other_setting(name, was, now)
            )
    if found.stages not in (None, stages):
        message = "the checkpoint is from a version of holdsfor that plans other stages for these rules"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
    if json.loads(files.read(_FILE))["format"] != FORMAT:
        write_manifest(files, found)  # an older version must refuse the files that this one writes
    return found


def begin_generation(files: StreamFiles, manifest: Manifest, committed: int) -> None:
    """Check that no micro-batch ran while the state was rewritten, and delete all other states."""
    state = files.inside(manifest.folder)
    if manifest.folder and _BEGUN not in state.names(""):
        _check_rewritten(manifest, committed)
        state.write(_BEGUN, b"")
    # Also after a crash between the two, or one that left a state without a manifest.
    for name in files.folders(""):
        if name != (manifest.folder or "state") and (name == "state" or name.startswith(_GENERATION)):
            files.delete_folder(name)


def _check_rewritten(manifest: Manifest, committed: int) -> None:
    if committed != manifest.batch:
        message = (
            f"the state was rewritten after micro-batch {manifest.batch}, and the stream has gone on to {committed}"
        )
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART))


def check_generation(files: StreamFiles, manifest: Manifest) -> None:
    """Refuse a micro-batch of a stream whose state was rewritten after its start."""
    found = read_manifest(files)
    if found is None or found.folder != manifest.folder:
        message = "the state of the stream was rewritten while the stream was running"
        raise UsageProblem(Diagnostic("HF793", message, hint="start the stream again"))


_ANOTHER = Hint("give another `checkpointLocation`", on_command_line="give another `--checkpoint`")
_SAME = Hint(
    "a checkpoint continues with the same rules and settings; a changed stream needs another `checkpointLocation`",
    on_command_line="a checkpoint continues with the same rules and options; a changed stream needs another one",
)
_CHANGED = Hint(
    '`on_change="keep"` keeps the results whose definitions did not change, `on_change="restart"` none',
    on_command_line="`--on-change keep` keeps the results whose definitions did not change, `--on-change restart` none",
)


_FLAGS: dict[str, tuple[str, Hint]] = {
    "has_integer_times": ('`times="integer"`', _SAME),
    "has_clock": (
        "a timeout of idle sources",
        Hint(
            "another `idle` is accepted, but adding or removing it needs another `checkpointLocation`",
            on_command_line="another `--idle` is accepted, but adding or removing it needs another `--checkpoint`",
        ),
    ),
}
"""The settings that are on or off, in messages, with their hints."""


def _other_rules(files: StreamFiles, rules: Rules) -> UsageProblem:
    """The refusal of other rules, with the names whose definitions differ, if the checkpoint has its rules."""
    message = "the checkpoint is of a stream with other rules, background facts or start-up goals"
    stored = read_rules(files)
    if stored is not None:
        changes = rule_changes(stored.compiled(), rules.compiled(), stored.goal_terms(), rules.goal_terms())
        message = f"the checkpoint is of a stream with other rules: {changes}"
    return UsageProblem(Diagnostic("HF793", message, hint=_CHANGED))


def _other_setting(name: str, was: Any, now: Any) -> UsageProblem:
    if name in _FLAGS:
        what, hint = _FLAGS[name]
        message = f"the checkpoint is of a stream {'with' if was else 'without'} {what}"
        return UsageProblem(Diagnostic("HF793", message, hint=hint))
    before, after = map(_shown_setting, (was, now))
    message = f"the checkpoint is of a stream with the {_SHOWN.get(name, name)} {before}, found {after}"
    hint = _SAME
    if name == "n_buckets":
        hint = Hint(
            "`hf.spark.rescale` changes the number of buckets of a stopped stream",
            on_command_line="`holdsfor spark rescale` changes the number of buckets of a stopped stream",
        )
    return UsageProblem(Diagnostic("HF793", message, hint=hint))


def _shown_setting(value: Any) -> str:
    """A setting in a message.

    >>> _shown_setting(["ts bigint"]), _shown_setting(None), _shown_setting([]), _shown_setting(20)
    ('`ts bigint`', 'none', 'none', '20')
    """
    if isinstance(value, list) and value:
        return ", ".join(f"`{each}`" if each else "of records" for each in value)
    return "none" if value is None or value == [] else str(value)
