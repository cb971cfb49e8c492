"""Warnings about rules that are computed in one bucket, so that more workers do not make them faster."""

from __future__ import annotations

from holdsfor.distribution.stages import Stages
from holdsfor.errors import Diagnostic

__all__ = ["one_bucket_warnings"]

_HINT = "rules are divided by an argument of the head that all conditions share; `holdsfor plan --stage spark` shows it"


def one_bucket_warnings(stages: Stages) -> list[Diagnostic]:
    """A warning for each event or FVP that is computed in one bucket because of its own rules."""
    n_keyed = sum(len(stage.computes) for stage in stages.stages if stage.is_keyed)
    n_all = sum(len(stage.computes) for stage in stages.stages)
    return [
        Diagnostic(
            "HF320",
            f"`{cause.name}` is computed in one bucket, and so is all that depends on it: {cause.reason} "
            f"({n_keyed} of {n_all} events and FVPs are divided)",
            cause.span,
            _HINT,
        )
        for cause in stages.one_bucket
    ]
