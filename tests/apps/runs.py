"""The small runs of the applications: rules, records, options, and an answer computed by hand."""

from __future__ import annotations

from dataclasses import dataclass

from tests.apps.data import ROOT

__all__ = ["RUNS", "SmallRun"]


@dataclass(frozen=True)
class SmallRun:
    """One run over a few records; `window` is a length that cuts some of the recognised intervals."""

    app: str
    rules: tuple[str, ...]
    options: tuple[str, ...]
    window: int
    records: str = "events.txt"
    answer: str = "expected.jsonl"

    @property
    def files(self) -> list[str]:
        return [str(ROOT / "apps" / self.app / f"{name}.prolog") for name in self.rules]

    @property
    def arguments(self) -> list[str]:
        return ["run", *self.files, "--input", str(ROOT / "apps" / self.app / self.records), *self.options]

    @property
    def expected(self) -> str:
        return (ROOT / "apps" / self.app / self.answer).read_text(encoding="utf-8")


_USUAL = ("rules", "background")
_WITH_PARAMETERS = ("rules", "parameters", "background")
RUNS = {
    "toy": SmallRun("toy", _USUAL, ("--start", "0", "--end", "30"), 7),
    "ctm": SmallRun("ctm", _USUAL, ("--start", "0", "--end", "100"), 30),
    "activity": SmallRun("activity", _USUAL, ("--tick", "40", "--start", "0"), 800),
    "maritime": SmallRun("maritime", _WITH_PARAMETERS, ("--start", "0"), 90_000),
    "manoeuvres": SmallRun(
        "maritime", (*_WITH_PARAMETERS, "manoeuvres"), ("--start", "0"), 900, "manoeuvres.txt", "manoeuvres.jsonl"
    ),
    "voting": SmallRun("voting", _USUAL, ("--start", "0", "--end", "30"), 10),
    "netbill": SmallRun("netbill", _USUAL, ("--start", "0", "--end", "70"), 10),
    "fines": SmallRun("fines", _USUAL, ("--start", "0", "--end", "2000"), 100),
    "fleet": SmallRun("fleet", _WITH_PARAMETERS, ("--start", "0", "--end", "2000"), 1000),
    "argumentation": SmallRun("argumentation", _USUAL, ("--start", "0", "--end", "100"), 10),
    "feedback": SmallRun("feedback", ("immune", "phage", "background"), ("--start", "0", "--end", "100"), 10),
}
