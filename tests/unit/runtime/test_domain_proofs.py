"""Goals over dynamic domains: clauses are unfolded into columns, and other goals are proved once per member and run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import holdsfor as hf
from holdsfor.prolog import Engine

BASE = """
dynamicDomain(person(_)).
grounding(vote(A)) :- person(A). grounding(act(A)=true) :- person(A).
initiatedAt(act(A)=true, T) :- happensAt(vote(A), T), {goal}.
terminatedAt(act(A)=true, T) :- happensAt(vote(A), T), \\+ {goal}.
"""
UNFOLDED = BASE.format(goal="role_of(A, voter)") + "role_of(A, voter) :- person(A), X is A mod 11, X > 0.\n"
PROVED = BASE.format(goal="role_of(A, voter)") + "role_of(A, voter) :- person(A), number_codes(A, L), length(L, 2).\n"
N_PERSONS = 60


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The goals that the background engine proves."""
    found: list[object] = []
    solve = Engine.solve

    def counted(engine: Engine, goal: hf.Term) -> Iterator[dict[str, hf.Term]]:
        found.append(goal)
        return iter(solve(engine, goal))

    monkeypatch.setattr(Engine, "solve", counted)
    return found


def votes(session: hf.Session, n_windows: int) -> None:
    """Every person votes in every window."""
    for number in range(n_windows):
        session.insert([f"vote|{10 * number + 1 + i % 9}|{10 * number + 1 + i % 9}|{i}" for i in range(N_PERSONS)])
        session.query(10 * (number + 1))


@pytest.mark.parametrize("n_windows", [1, 10])
def test_a_clause_over_a_domain_is_a_join_of_columns(n_windows: int, proofs: list[object]) -> None:
    session = hf.Session(hf.load_text(UNFOLDED), window=10, step=10, start=0)
    proofs.clear()
    votes(session, n_windows)
    assert proofs == []


@pytest.mark.parametrize("n_windows", [1, 10])
def test_a_goal_over_a_domain_is_proved_once_per_member(n_windows: int, proofs: list[object]) -> None:
    session = hf.Session(hf.load_text(PROVED), window=10, step=10, start=0)
    proofs.clear()
    votes(session, n_windows)
    assert len(proofs) == 2 * N_PERSONS  # by two rules


def test_new_members_cost_proofs_of_their_own(proofs: list[object]) -> None:
    session = hf.Session(hf.load_text(PROVED), window=10, step=10, start=0)
    votes(session, 2)
    proofs.clear()
    session.insert(["vote|21|21|3", "vote|22|22|77", "vote|23|23|78"])
    assert session.query(30).holds_for("act(77)=true") == [(23, None)]
    assert len(proofs) == 2 * 2


def test_a_goal_over_all_members_is_proved_when_the_domain_changes(proofs: list[object]) -> None:
    many = "many :- findall(A, person(A), L), length(L, N), N > 2.\n"
    session = hf.Session(hf.load_text(BASE.format(goal="many") + many), window=10, step=10, start=0)
    proofs.clear()
    session.insert(["vote|1|1|1", "vote|2|2|2"])
    assert session.query(10).intervals == {}
    n_proved = len(proofs)
    session.insert(["vote|11|11|1", "vote|12|12|2"])
    assert session.query(20).intervals == {}
    assert len(proofs) == n_proved
    session.insert(["vote|21|21|1", "vote|22|22|3"])
    assert session.query(30).holds_for("act(1)=true") == [(22, None)]
    assert len(proofs) == 2 * n_proved


def test_a_goal_notices_that_a_member_is_gone() -> None:
    rules = """
    dynamicDomain(person(_)). collectGrounds([enter(A)], person(A)).
    guest(A) :- person(A), atom_length(A, 3).
    initiatedAt(in(A)=true, T) :- happensAt(ring(A), T), guest(A).
    """
    session = hf.Session(hf.load_text(rules), window=20, step=10, start=0)
    session.insert(["enter|1|1|bob", "ring|2|2|bob"])
    assert session.query(10).holds_for("in(bob)=true") == [(3, None)]
    session.retract(["enter|1|1|bob"])
    assert session.query(20).holds_for("in(bob)=true") == []
    session.insert(["enter|21|21|bob", "ring|22|22|bob"])
    assert session.query(30).holds_for("in(bob)=true") == [(23, None)]
