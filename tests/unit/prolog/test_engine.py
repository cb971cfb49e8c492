"""The interface: lazy, independent answers; budgets; problems that name the goal."""

from __future__ import annotations

from itertools import islice

import pytest

from holdsfor.errors import ExecutionProblem
from holdsfor.prolog import Engine, is_builtin
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Int, Var
from tests.unit.prolog.programs import answers, database, engine, holds, problem, values


def test_answers_come_lazily() -> None:
    solutions = engine().solve(parse_term("between(1, inf, X)"))
    assert [solution["X"] for solution in islice(solutions, 3)] == [Int(1), Int(2), Int(3)]


def test_answers_of_two_goals_may_be_read_in_turn() -> None:
    asked = engine("p(X) :- member(X, [1, 2, 3]).")
    one, other = asked.solve(parse_term("p(X)")), asked.solve(parse_term("p(X)"))
    pairs = [(next(one)["X"], next(other)["X"]) for _ in range(3)]
    assert pairs == [(Int(n), Int(n)) for n in (1, 2, 3)]


def test_an_answer_is_not_changed_by_later_ones() -> None:
    program = "p(f(_), 1). p(f(2), 2)."
    first, second = engine(program).solve(parse_term("p(X, N)"))
    assert first["X"] == parse_term("f(_G1)")
    assert second["X"] == parse_term("f(2)")


def test_once_holds_and_run_take_the_first_answer() -> None:
    asked = engine("p(1). p(2).")
    assert asked.once(parse_term("p(X)")) == {"X": Int(1)}
    assert asked.once(parse_term("p(3)")) is None
    assert asked.holds(parse_term("p(X)"))
    assert asked.run(parse_term("assertz(q(1))"))
    assert asked.holds(parse_term("q(1)"))


def test_an_unbound_variable_is_its_own_value() -> None:
    assert engine("p(_).").once(parse_term("p(X)")) == {"X": Var("X")}


@pytest.mark.parametrize(
    ("goal", "code", "message", "hint"),
    [
        ("persn(X)", "HF601", "undefined predicate `persn/1` in `persn(X)`", "did you mean `person/1`?"),
        ("person(X, Y)", "HF601", "undefined predicate `person/2` in `person(X,Y)`", "`person` exists with 1 argument"),
        ("memberr(X, [])", "HF601", "undefined predicate `memberr/2` in `memberr(X,[])`", "did you mean `member/2`?"),
        ("zz", "HF601", "undefined predicate `zz/0` in `zz`", "define it, or declare it with `:- dynamic zz/0.`"),
        (
            "call(zz, 1)",
            "HF601",
            "undefined predicate `zz/1` in `zz(1)`",
            "define it, or declare it with `:- dynamic zz/1.`",
        ),
    ],
)
def test_an_undefined_predicate_is_a_problem_with_a_hint(goal: str, code: str, message: str, hint: str) -> None:
    assert problem("person(ann).", goal) == (code, message, hint)


@pytest.mark.parametrize(
    ("goal", "code", "message"),
    [
        ("X is Y + 1", "HF602", "a variable of an arithmetic expression is not bound in `X is Y+1`"),
        ("Y = 1, Y < Z", "HF602", "a variable of an arithmetic expression is not bound in `1<Z`"),
        ("atom_length(X, Y)", "HF602", "an atom, string or number is not bound in `atom_length(X,Y)`"),
        ("call(G)", "HF602", "a goal is not bound in `call(G)`"),
        ("X = f(Z), Y is X", "HF603", "`f/1` is not an arithmetic function in `Y is f(_)`"),
        ("length(foo, N)", "HF603", "expected a list, found `foo` in `length(foo,N)`"),
        ("length(L, a)", "HF603", "expected an integer, found `a` in `length(L,a)`"),
        ("call(3)", "HF603", "expected a goal, found `3` in `3`"),
        ("X is 1 / 0", "HF604", "division by zero in `X is 1/0`"),
        ("X is sqrt(-1)", "HF604", "the result is undefined in `X is sqrt(-1)`"),
        ("arg(X, 3, Y)", "HF603", "expected a structure, found `3` in `arg(X,3,Y)`"),
        ("functor(T, foo, -1)", "HF603", "a structure cannot have -1 arguments in `functor(T,foo,-1)`"),
        ("atom_codes(X, Y)", "HF602", "neither argument is bound in `atom_codes(X,Y)`"),
        ("msort(X, Y)", "HF602", "a list is not bound in `msort(X,Y)`"),
        ("assertz(3)", "HF603", "expected the head of a clause, found `3` in `assertz(3)`"),
        ("assertz((a, b))", "HF603", "`,/2` is built in and cannot be changed in `assertz((a,b))`"),
    ],
)
def test_a_problem_names_its_goal(goal: str, code: str, message: str) -> None:
    assert problem("", goal)[:2] == (code, message)


def test_a_problem_points_at_the_goal_in_the_program() -> None:
    with pytest.raises(ExecutionProblem) as raised:
        engine("p(X) :-\n    q(X),\n    Y is X + a,\n    q(Y).\nq(1).").holds(parse_term("p(Z)"))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.place == "test.prolog:3:5"
    assert diagnostic.message == "expected a number, found `a` in `Y is 1+a`"


def test_a_problem_inside_the_library_names_the_goal_that_called_it() -> None:
    with pytest.raises(ExecutionProblem) as raised:
        engine("p(X) :- length(X, N), q(N).\nq(_).").holds(parse_term("p(a)"))
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.place, diagnostic.message) == ("test.prolog:1:9", "expected a list, found `a` in `length(a,N)`")


def test_a_dynamic_predicate_without_clauses_fails() -> None:
    assert not holds("p(X)", ":- dynamic p/1.")
    assert not holds("q(X, Y)", ":- dynamic p/1, q/2.")
    assert not holds("r", ":- dynamic([p/1, r/0]).")


@pytest.mark.parametrize(
    ("program", "goal"),
    [
        ("p :- p.", "p"),
        ("p(X) :- p(f(X)).", "p(a)"),
        ("p :- between(1, inf, X), X < 0.", "p"),
        ("p :- repeat_it, fail. repeat_it. repeat_it :- repeat_it.", "p"),
        ("p :- length(_, N), N < 0.", "p"),
        ("p(N) :- length(_, N), N < 0.", "p(N)"),
        ("p :- findall(X, between(1, inf, X), _).", "p"),
        ("p(N) :- M is N + 1, p(M).", "p(0)"),
        ("p :- \\+ \\+ p.", "p"),
        ("p :- call(p).", "p"),
    ],
)
def test_an_endless_goal_runs_out_of_steps(program: str, goal: str) -> None:
    code, message, hint = problem(engine(program, max_steps=20_000), goal)
    assert code == "HF605"
    assert message == f"the goal exceeds 20,000 steps in `{goal}`"
    assert hint is not None


@pytest.mark.parametrize(
    ("program", "goal", "what"),
    [
        ("p(X) :- p(Y), q(Y). q(1).", "p(1)", "pending goals"),
        ("p(X) :- p(X). p(a).", "p(X)", "choice points"),
        ("p :- call((p, q)). q.", "p", "pending goals"),
        ("p :- \\+ p.", "p", "choice points"),
    ],
)
def test_an_endless_recursion_runs_out_of_depth(program: str, goal: str, what: str) -> None:
    code, message, _ = problem(engine(program, max_depth=5_000), goal)
    assert (code, message) == ("HF606", f"there are more than 5,000 {what} in `{goal}`")


def test_every_goal_has_a_budget_of_its_own() -> None:
    asked = engine("p(0) :- !. p(N) :- M is N - 1, p(M).", max_steps=500)
    assert all(asked.holds(parse_term("p(200)")) for _ in range(5))


def test_a_program_may_replace_a_library_predicate_for_itself_alone() -> None:
    program = "append(mine, mine, mine)."
    assert values(program, "append(X, Y, Z)") == ["mine"]
    assert values(program, "append([[1], [2]], X)") == ["[1,2]"]


def test_control_and_comparison_cannot_be_defined() -> None:
    for head in ("X = Y", "call(X)", "true", "var(X)", "X < Y"):
        with pytest.raises(ExecutionProblem, match="is built in and cannot be defined"):
            database().add_clause(parse_term(head))


def test_a_number_is_no_head() -> None:
    with pytest.raises(ExecutionProblem, match="cannot be the head of a clause"):
        database().add_clause(Int(3))


@pytest.mark.parametrize("name", ["member/2", "is/2", ",/2", "findall/3", "setof/3", "between/3", "format/2", "=../2"])
def test_is_builtin(name: str) -> None:
    functor, _, arity = name.rpartition("/")
    assert is_builtin(functor, int(arity))


def test_internal_predicates_are_not_offered() -> None:
    assert not is_builtin("$length", 4)


def test_a_term_that_contains_itself_is_a_problem_not_a_hang() -> None:
    assert problem("", "X = f(X)")[0] == "HF603"
    assert problem("", "X = f(X), copy_term(X, Y)")[0] == "HF603"
    assert problem("", "X = f(X), Y is X")[0] == "HF603"


def test_answers_of_a_goal_without_variables() -> None:
    assert answers("p. p.", "p") == ["yes", "yes"]


def test_engines_share_a_database() -> None:
    shared = database("p(1).")
    Engine(shared).run(parse_term("assertz(p(2))"))
    assert values(Engine(shared), "p(X)") == ["1", "2"]
