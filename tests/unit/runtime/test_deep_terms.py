"""Terms of great depth, in rules, in background knowledge and made by goals: an exact answer or a diagnostic."""

from __future__ import annotations

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term
from tests.unit.runtime.cases import Example

pytestmark = pytest.mark.in_turn(2)

N = 10_000
WRITTEN = {
    "brackets": "(" * N + "a" + ")" * N,
    "lists": "[" * N + "a" + "]" * N,
    "functors": "f(" * N + "a" + ")" * N,
    "braces": "{" * N + "a" + "}" * N,
    "negations": "\\+ " * N + "a",
    "signs": "- " * N + "1",
}
CHAINS = {"operators": "1" + "+1" * N, "arrows": "a" + "->a" * N, "items": "[" + ",".join(["a"] * N) + "]"}


def program(term: str, where: str) -> str:
    if where == "rule":
        return f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), m(X, {term}).\nm(b, c).\n"
    return f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), m(X, Y), m(a, Y).\nm(a, {term}).\n"


@pytest.mark.parametrize("where", ["rule", "background"])
@pytest.mark.parametrize("kind", WRITTEN)
def test_terms_that_are_nested_too_deeply_are_refused(kind: str, where: str) -> None:
    with pytest.raises(HoldsforError, match="HF112"):
        Example(program(WRITTEN[kind], where), ("e|1|a",)).batch()


@pytest.mark.parametrize("where", ["rule", "background"])
@pytest.mark.parametrize("kind", CHAINS)
def test_long_chains_and_lists_are_terms_like_others(kind: str, where: str) -> None:
    example = Example(program(CHAINS[kind], where), ("e|1|a",))
    assert example.batch() == example.reference()
    assert bool(example.batch()) == (where == "background")


BRANCHES = " ; ".join(f"X = x{i}" for i in range(N // 5))
TESTS = ", ".join(f"X \\= y{i}" for i in range(N // 5))
SEEN = "initiatedAt(seen(X)=true, T) :- happensAt(e(X), T).\n"
LONG_BODIES = {
    "a rule": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), ({BRANCHES}).",
    "a negation": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), \\+ ({BRANCHES}).",
    "a test for all": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), forall(m(X), ({BRANCHES})).\nm(b). m(x3).",
    "a clause": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), m(X).\nm(X) :- {TESTS}, ({BRANCHES}).",
    "a grounding": f"{SEEN}initiatedAt(f(X)=true, T) :- happensAt(e(X), T).\ngrounding(f(X)=true) :- {BRANCHES}.",
    "a rule over intervals": f"{SEEN}holdsFor(f(X)=true, I) :- holdsFor(seen(X)=true, I), ({BRANCHES}).",
    "choices": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), ({BRANCHES.replace(' ;', ' -> true ;')}).",
    "conditions on events": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), (happensAt(g, T) ; {BRANCHES}).",
}


@pytest.mark.parametrize("where", LONG_BODIES)
def test_bodies_may_have_thousands_of_branches(where: str) -> None:
    example = Example(LONG_BODIES[where], ("e|1|x3", "e|2|b"))
    assert example.batch() == example.reference()
    assert any(fvp.startswith("f(") for fvp in map(str, example.batch()))


MAKERS = """
deep(0, z) :- !.
deep(N, s(T)) :- M is N - 1, deep(M, T).
nested(0, []) :- !.
nested(N, [T]) :- M is N - 1, nested(M, T).
sum(0, z) :- !.
sum(N, T+1) :- M is N - 1, sum(M, T).
tree(0, z) :- !.
tree(N, f(T, T)) :- M is N - 1, tree(M, T).
"""
MADE = {
    "value": f"initiatedAt(f(X)=D, T) :- happensAt(e(X), T), deep({N}, D).",
    "list": f"initiatedAt(f(X)=D, T) :- happensAt(e(X), T), nested({N}, D).",
    "operators": f"initiatedAt(f(X)=D, T) :- happensAt(e(X), T), sum({N}, D).",
    "argument": f"initially(f(D)=true) :- deep({N}, D).",
    "compared": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), deep({N}, D), deep({N}, D), D \\= z.",
    "sorted": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), deep({N}, D), sort([D, a, D], [_, _]).",
    "as text": f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), deep({N}, D), term_to_atom(D, _).",
}


@pytest.mark.parametrize("kind", MADE)
def test_terms_that_goals_make_have_exact_answers(kind: str) -> None:
    example = Example(f"{MADE[kind]}\n{MAKERS}", ("e|1|a",))
    found = example.batch()
    assert isinstance(found, dict)
    assert len(found) == 1
    assert found == example.reference()


@pytest.mark.parametrize("goal", ["tree(60, D)", "tree(60, D), term_to_atom(D, _)", "tree(60, D), ground(D)"])
def test_a_term_that_is_too_large_to_be_written_is_an_error(goal: str) -> None:
    example = Example(f"initiatedAt(f(X)=D, T) :- happensAt(e(X), T), {goal}.\n{MAKERS}", ("e|1|a",))
    assert example.batch() == example.reference() == "fails with HF611"


@pytest.mark.parametrize("n", [10, 20_000])
def test_a_deep_term_is_written_as_it_is_read(n: int) -> None:
    term: Term = Atom("a b")
    for _ in range(n):
        term = Struct("s", (term, Atom("+"), Struct("[|]", (Atom("x"), Atom("y")))))
    text = show(Struct("=", (Atom("f"), term)))
    assert text.startswith("f=s(s(")
    assert text.count("'a b'") == 1
    assert n > 100 or parse_term(text) == Struct("=", (Atom("f"), term))
