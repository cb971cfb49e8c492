"""NetBill: the components of the literature, and the invariants of every trade."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import Intervals, answer_of
from tests.apps.runs import RUNS

LEVELS = """\
level 0  input
  {present_quote(_,_,_,_)}
  {accept_quote(_,_,_)}
  {request_quote(_,_,_)}
  {send_goods(_,_,_)}
  {send_epo(_,_,_)}
level 1
  {quote(_,_,_)=true, quote(_,_,_)=expiring, quote(_,_,_)=false}
  {permission(_,present_quote(_))=false, permission(_,present_quote(_))=true}  cyclic
  {delivered(_,_,_)=true}
  {paid(_,_,_)=true}
level 2
  {contract(_,_,_)=true, contract(_,_,_)=false, suspended(_,merchant)=true, suspended(_,consumer)=true, \
suspended(_,_)=false}  cyclic
level 3
  {power(_,accept_quote(_,_))=true}
  {obligation(_,send_goods(_,_))=true}
  {obligation(_,send_epo(_,_))=true}
"""


def test_the_plan_shows_the_components_of_the_literature(capsys: pytest.CaptureFixture[str]) -> None:
    """Figure 3 of the delayed-effects paper: quote | permission | contract and suspended, on levels 1, 1 and 2."""
    assert main(["plan", *RUNS["netbill"].files, "--stage", "levels"]) == 0
    assert capsys.readouterr().out == LEVELS


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trades of twelve agents."""
    file = tmp_path_factory.mktemp("netbill") / "events.txt"
    assert main(["generate", "netbill", "--entities", "12", "--duration", "60", "-o", str(file)]) == 0
    return file


def test_invariants_of_every_trade(stream: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answer_of([*RUNS["netbill"].files, "--input", str(stream), "--start", "0", "--end", "60"], capsys)
    accepted = {
        (tuple(fields[3:6]), int(fields[2]) + 1)
        for fields in (line.split("|") for line in stream.read_text().splitlines())
        if fields[0] == "accept_quote"
    }
    contracts = spans_of(answer, "contract", "true")
    assert len(contracts) > 30
    for (merchant, consumer, goods), start, end in contracts:
        # A contract begins with an acceptance by a consumer with the power to accept, and lasts at most its time, from
        # the last acceptance.
        assert ((consumer, merchant, goods), start) in accepted
        assert covers(answer[f"power({consumer},accept_quote({merchant},{goods}))=true"], start - 1)
        last = max(time for deal, time in accepted if deal == (consumer, merchant, goods) and time <= end)
        assert end == float("inf") or end - last <= 12
    obligations = [span for fvp, spans in answer.items() if fvp.startswith("obligation(") for span in spans]
    assert len(obligations) > len(contracts)
    for start, end in obligations:
        assert any(begin <= start and end <= over for _, begin, over in contracts)


def spans_of(answer: dict[str, Intervals], fluent: str, value: str) -> list[tuple[tuple[str, ...], int, float]]:
    """The arguments and intervals of a fluent with plain arguments."""
    return [
        (tuple(fvp.removeprefix(f"{fluent}(").split(")")[0].split(",")), start, end)
        for fvp, spans in answer.items()
        if fvp.startswith(f"{fluent}(") and fvp.endswith(f"={value}")
        for start, end in spans
    ]


def covers(spans: Intervals, time: int) -> bool:
    return any(start <= time < end for start, end in spans)
