"""Law: a session that evicts members of dynamic domains has the answers of a session that keeps them, at every query
time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import holdsfor as hf
from holdsfor.runtime.domain_members import Members
from tests.properties.answers import read_case
from tests.properties.passing_programs import passing_case
from tests.properties.programs import Case
from tests.properties.test_session import Plain, answer_of, check, late_arrivals, session_of
from tests.seeds import chunks, named, share

EVICTIONS = range(12_000, 12_400)
DOMAIN = ("thing", 1)


def answers(case: Case, session: hf.Session, seed: int) -> Iterator[tuple[Plain, int]]:
    """The answer of each query time, and the number of members; records arrive late, and some are retracted."""
    chance = random.Random(seed)
    records = sorted(late_arrivals(case, session.window or 0, chance))
    before: list[str] = []
    while session.query_time is None or session.query_time < case.end:
        at = (case.start if session.query_time is None else session.query_time) + (session.step or 0)
        piece = list(dict.fromkeys(line for arrival, line in records if at - (session.step or 0) < arrival <= at))
        session.retract([line for line in before if chance.random() < 0.1])
        session.insert(piece)
        before = piece
        yield answer_of(session.query()), session._engine.rules.background.facts(DOMAIN).n


@pytest.mark.parametrize("seeds", chunks(share(EVICTIONS, 10)), ids=named)
def test_evicting_members_changes_no_answer(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    n_evicting = 0
    for seed in seeds:
        case, chance = passing_case(seed), random.Random(seed)
        step = chance.randint(4, 12)
        window = step + chance.choice([0, 3, 10])
        found: list[list[tuple[Plain, int]]] = []
        for is_evicting in (False, True):
            monkeypatch.setattr(Members, "has_many_evictable", is_evicting)
            found.append(list(answers(case, session_of(case, window, step, strict=False), seed)))
        kept, evicted = ([answer for answer, _ in each] for each in found)
        check(seed, read_case(case), kept, evicted, window=window, step=step)
        n_evicting += found[1][-1][1] < found[0][-1][1]
    assert n_evicting > 0
