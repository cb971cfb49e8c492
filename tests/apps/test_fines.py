"""Traffic fines: the script of the README, and the recorded fines compared with rules written in Python."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.apps.answers import answer_of
from tests.apps.data import ROOT, real_data
from tests.apps.runs import RUNS

N_APPEALED, N_OTHERS = 60, 150


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The recorded fines, converted by the script of the README."""
    log = real_data("traffic-fines", "traffic_fines.parquet")
    target = tmp_path_factory.mktemp("fines") / "fines.txt"
    readme = (ROOT / "apps" / "fines" / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    block = block.replace('"fines.txt"', repr(str(target)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDSFOR_DATA", str(log.parents[1]))
        exec(block, {})
    return [line.split("|") for line in target.read_text().splitlines()]


@pytest.fixture(scope="module")
def cases(records: list[list[str]]) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """For some fines, the days and amounts of each kind of record."""
    found: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for fields in records:
        found[fields[3]][fields[0]].append((int(fields[2]), int(fields[4]) if len(fields) > 4 else 0))
    # Only one fine in forty is appealed.
    appealed = {fine for fine, kinds in found.items() if "appeal_to_prefecture" in kinds or "appeal_to_judge" in kinds}
    chosen = sorted(appealed)[:N_APPEALED] + sorted(set(found) - appealed)[:N_OTHERS]
    return {fine: found[fine] for fine in chosen}


@pytest.fixture
def slice_file(records: list[list[str]], cases: dict[str, object], tmp_path: Path) -> str:
    chosen = ["|".join(fields) for fields in records if fields[3] in cases]
    (tmp_path / "slice.txt").write_text("\n".join(chosen))
    return str(tmp_path / "slice.txt")


def test_every_line_of_the_log_except_notified_results_is_a_record(records: list[list[str]]) -> None:
    assert len(records) == 34_724 - 54
    assert {len(fields) for fields in records} == {4, 5}


def test_recorded_fines_have_the_answer_of_rules_written_in_python(
    cases: dict[str, dict[str, list[tuple[int, int]]]], slice_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*RUNS["fines"].files, "--input", slice_file, "--format", "jsonl", "--engine", "reference"]
    assert main(["run", *arguments]) == 0
    found = {json.loads(line)["fvp"] for line in capsys.readouterr().out.splitlines()}
    last = max(day for kinds in cases.values() for days in kinds.values() for day, _ in days)
    late = {fine for fine, kinds in cases.items() if is_late(kinds, last)}
    unlawful = {fine for fine, kinds in cases.items() if has_unlawful_penalty(kinds)}
    assert len(late) > 20
    assert len(unlawful) > 20
    assert {fine for fine in cases if f"overdue('{fine}',notification)=true" in found} == late
    assert {fine for fine in cases if f"unlawful(penalty,'{fine}')" in found} == unlawful


def settled(kinds: dict[str, list[tuple[int, int]]]) -> int | None:
    """The day on which the payments cover the amounts added before that day."""
    for day, total in sorted(kinds.get("payment", [])):
        _, price = kinds["create_fine"][0]
        prices = [price, *(amount for when, amount in kinds.get("add_penalty", []) if when < day)]
        expenses = [0, *(amount for when, amount in kinds.get("send_fine", []) if when < day)]
        if total >= prices[-1] + expenses[-1]:
            return day
    return None


def is_late(kinds: dict[str, list[tuple[int, int]]], last: int) -> bool:
    limit = kinds["create_fine"][0][0] + 150
    done = [day for day, _ in kinds.get("notify_fine", [])]
    paid = settled(kinds)
    return limit < last and min([*done, *([] if paid is None else [paid]), last + 1]) > limit


def has_unlawful_penalty(kinds: dict[str, list[tuple[int, int]]]) -> bool:
    """Whether the fine was paid or appealed until the day of the penalty."""
    if "add_penalty" not in kinds:
        return False
    (day, _), (notified, _) = kinds["add_penalty"][0], kinds["notify_fine"][0]
    assert day == notified + 60
    paid = settled(kinds)
    appeals = [when for name in ("appeal_to_prefecture", "appeal_to_judge") for when, _ in kinds.get(name, [])]
    return (paid is not None and paid <= day) or any(notified < when <= day for when in appeals)


def test_generated_fines_come_to_an_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "events.txt"
    assert main(["generate", "fines", "--entities", "60", "--duration", "2600", "-o", str(file)]) == 0
    answer = answer_of([*RUNS["fines"].files, "--input", str(file), "--start", "0", "--end", "2600"], capsys)
    open_claims = [spans for fvp, spans in answer.items() if re.fullmatch(r"claim\(f\d+\)=open", fvp)]
    assert len(open_claims) > 50
    assert all(end - start <= 1825 for spans in open_claims for start, end in spans)
