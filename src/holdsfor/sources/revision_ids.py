"""Revisions: a retraction and an insertion with one `revision` id.

The id does not change the effect of the two records. It is checked: records of a revision that is not exactly one
retraction and one insertion are counted as unmatched, with a reason, and have their usual effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from holdsfor.sources.text_records import SetAside

__all__ = ["MOST_OPEN", "RevisionRecord", "incomplete_revisions", "pair_revisions", "unmatched_revisions"]

MOST_OPEN = 10_000
"""The number of incomplete revisions that a live input stores."""


@dataclass(frozen=True)
class RevisionRecord:
    """A record that belongs to a revision."""

    revision: str
    is_retraction: bool
    origin: SetAside


def unmatched_revisions(records: Sequence[RevisionRecord]) -> list[SetAside]:
    """The records of incomplete revisions, with the reasons, in their order."""
    wrong = incomplete_revisions([each.revision for each in records], [each.is_retraction for each in records])
    return [replace(records[i].origin, reason=reason) for i, reason in wrong.items()]


def pair_revisions(records: Iterable[RevisionRecord]) -> tuple[list[RevisionRecord], list[SetAside]]:
    """The records of a stream whose partner may still arrive, at most `MOST_OPEN`, and the records without a partner.

    A record is without a partner if another one of the same kind has its id, or if many later records are open.
    """
    waiting: dict[str, RevisionRecord] = {}
    alone: list[RevisionRecord] = []
    for each in records:
        other = waiting.pop(each.revision, None)
        if other is None or other.is_retraction == each.is_retraction:
            waiting[each.revision] = each
            alone += [] if other is None else [other]
    kept = list(waiting.values())
    alone += kept[:-MOST_OPEN]
    return kept[-MOST_OPEN:], [one for each in alone for one in unmatched_revisions([each])]


def incomplete_revisions(ids: Sequence[str], are_retractions: Iterable[bool]) -> Mapping[int, str]:
    """The numbers of the records whose revision is incomplete, with the reason for each.

    >>> incomplete_revisions(["r1", "r2", "r1"], [True, False, False])
    {1: 'revision `r2` has no retraction'}
    """
    counts: dict[str, list[int]] = {}
    for revision, is_retraction in zip(ids, are_retractions, strict=True):
        counts.setdefault(revision, [0, 0])[is_retraction] += 1
    return {i: _reason(revision, *counts[revision]) for i, revision in enumerate(ids) if counts[revision] != [1, 1]}


def _reason(revision: str, n_insertions: int, n_retractions: int) -> str:
    if not n_retractions:
        return f"revision `{revision}` has no retraction"
    if not n_insertions:
        return f"revision `{revision}` has no insertion"
    found = f"{n_retractions} retraction{'s' if n_retractions > 1 else ''} and {n_insertions} insertion"
    return f"revision `{revision}` has {found}{'s' if n_insertions > 1 else ''}, expected one of each"
