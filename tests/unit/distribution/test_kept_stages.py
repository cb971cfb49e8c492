"""The stages of changed rules: components that stay in their stages, and refusals."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.distribution.kept_stages import KeptStages, PlannedRules, keep_stages
from holdsfor.errors import DataProblem
from holdsfor.runtime.session import EngineSession

RULES = """
initiatedAt(moving(X)=true, T) :- happensAt(go(X), T).
terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T).
holdsFor(still(X)=true, I) :- holdsFor(moving(X)=true, I1), complement_all([I1], I).
holdsFor(together(X, Y)=true, I) :-
    holdsFor(near(X, Y)=true, I1), holdsFor(moving(X)=true, I2), holdsFor(moving(Y)=true, I3),
    intersect_all([I1, I2, I3], I).
happensAt(crowd(X), T) :- happensAt(start(together(X, _)=true), T).
collectIntervals(near(_, _)=true).
grounding(moving(X)=true) :- thing(X).
grounding(still(X)=true) :- thing(X).
grounding(together(X, Y)=true) :- thing(X), thing(Y).
thing(ann). thing(bob). thing(eve).
"""


def planned(text: str) -> PlannedRules:
    compiled = compile_text(text)
    return PlannedRules(compiled, (), EngineSession(compiled, start=0, window=10).rules.program)


def kept(old: str, new: str) -> KeptStages:
    before = planned(old)
    return keep_stages(before, before.plan(), planned(new))


def computed(found: KeptStages) -> list[list[str]]:
    return [sorted(vertex.label for vertex in stage.computes) for stage in found.stages.stages]


def test_unchanged_components_stay_in_their_stages() -> None:
    assert computed(kept(RULES, RULES)) == [["moving(_)=true", "still(_)=true"], ["crowd(_)", "together(_,_)=true"]]
    found = kept(RULES, RULES.replace("complement_all([I1], I)", "union_all([I1], I)"))
    assert computed(found) == [["moving(_)=true"], ["crowd(_)", "together(_,_)=true"], ["still(_)=true"]]
    assert found.positions == (0, 1)
    found = kept(RULES, RULES.replace("start(together", "end(together"))
    assert computed(found) == [["moving(_)=true", "still(_)=true"], ["together(_,_)=true"], ["crowd(_)"]]
    found = kept(RULES, RULES.replace("happensAt(go(X), T)", "happensAt(run(X), T)"))
    assert found.fixed == ()


def test_a_stage_without_unchanged_components_is_gone() -> None:
    found = kept(
        RULES + "happensAt(off(X), T) :- happensAt(stop(X), T).",
        RULES.replace("go(X)", "run(X)") + "happensAt(off(X), T) :- happensAt(stop(X), T).",
    )
    assert computed(found)[0] == ["off(_)"]
    assert [set(each) for each in found.fixed] == [{"event off(_)"}]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            RULES,
            RULES + "happensAt(begun(X), T) :- initiatedAt(moving(X)=true, T).",
            r"`begun/1` must be computed anew, but only together with `moving/1`",
        ),
        (
            RULES.replace("grounding(still(X)=true) :- thing(X).", ""),
            RULES.replace("grounding(still(X)=true) :- thing(X).", "").replace("start(together", "end(together"),
            r"`\w+/1` did not change, but its results depend on the constants of the input",
        ),
        (
            RULES + ":- output([crowd]).",
            RULES.replace("start(together", "end(together") + ":- output([crowd, together]).",
            r"`together/2` did not change, but another part of its results is shown",
        ),
    ],
)
def test_components_that_cannot_continue_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(DataProblem, match=f"HF797.*{message}"):
        kept(old, new)
