"""Patterns against columns of words, and joins, against matching term by term."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Relation
from holdsfor.physical.patterns import bound_positions, build, join, unify_column
from holdsfor.physical.rows import Rows
from holdsfor.reference.matching import match
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, substitute, variables
from tests.unit.kernels.lists import as_columns, law

Binding = dict[str, Term]

_constants: st.SearchStrategy[Term] = st.sampled_from([Atom("a"), Atom("b"), Int(1), Float(1.0)])
_grounds = st.recursive(
    _constants,
    lambda inner: st.one_of(
        st.builds(Struct, st.just("k"), st.tuples(inner)),
        st.builds(Struct, st.sampled_from(["p", "q"]), st.tuples(inner, inner)),
    ),
    max_leaves=4,
)
_variables: st.SearchStrategy[Term] = st.sampled_from([Var("X"), Var("Y"), Var("Z")])
_leaves = st.one_of(_variables, _variables, _constants)
_flat = st.one_of(_leaves, st.builds(Struct, st.just("p"), st.tuples(_leaves, _leaves)))
_nested = st.one_of(_flat, st.builds(Struct, st.just("k"), st.tuples(_flat)))
_patterns = st.one_of(_nested, st.builds(Struct, st.just("q"), st.tuples(_nested, _nested)))


def rows_of(bindings: list[Binding], names: list[str], symbols: Symbols) -> Rows:
    return Rows(len(bindings), {name: symbols.words(binding[name] for binding in bindings) for name in names})


def bindings_of(rows: Rows, symbols: Symbols) -> list[Binding]:
    columns = {name: symbols.terms(column) for name, column in rows.columns.items()}
    return [{name: column[i] for name, column in columns.items()} for i in range(rows.n)]


@st.composite
def some_bindings(draw: st.DrawFn, max_size: int = 4) -> tuple[list[Binding], list[str]]:
    """Bindings of some of the variables."""
    names = draw(st.sampled_from([[], ["X"], ["X", "Y"], ["X", "Y", "Z"]]))
    bindings = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, _grounds)), max_size=max_size))
    return bindings, names


@law
@given(_patterns, some_bindings())
def test_building_substitutes_in_every_row(pattern: Term, bound: tuple[list[Binding], list[str]]) -> None:
    bindings, names = bound
    if not set(variables(pattern)) <= set(names):
        return
    symbols = Symbols()
    built = build(pattern, rows_of(bindings, names, symbols), symbols)
    assert symbols.terms(built) == [substitute(pattern, binding) for binding in bindings]


@law
@given(_patterns, some_bindings(), st.data())
def test_unifying_matches_every_row(pattern: Term, bound: tuple[list[Binding], list[str]], data: st.DataObject) -> None:
    bindings, names = bound
    grounds = data.draw(st.lists(_grounds, min_size=len(bindings), max_size=len(bindings)))
    symbols = Symbols()
    found = unify_column(pattern, symbols.words(grounds), rows_of(bindings, names, symbols), symbols)
    matched = [match(pattern, ground, binding) for binding, ground in zip(bindings, grounds, strict=True)]
    assert bindings_of(found, symbols) == [binding for binding in matched if binding is not None]


@law
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.tuples(
            st.lists(_patterns, min_size=width, max_size=width),
            st.lists(st.tuples(*[_grounds] * width), max_size=6),
        )
    ),
    some_bindings(),
)
@example(
    ([parse_term("k(X)"), Var("X")], [(parse_term("k(a)"), Atom("a")), (parse_term("k(b)"), Atom("a"))]), ([{}], [])
)
@example(([Var("X"), Var("X")], [(Atom("a"), Atom("a")), (Atom("a"), Atom("b"))]), ([{}], []))
@example(
    ([parse_term("p(X, k(X))"), Var("Y")], [(parse_term("p(a, k(a))"), Atom("a")), (parse_term("p(a, k(b))"), Int(1))]),
    ([{"Y": Int(1)}, {"Y": Atom("a")}], ["Y"]),
)
def test_joins_are_those_of_a_nested_loop(
    case: tuple[list[Term], list[tuple[Term, ...]]], bound: tuple[list[Binding], list[str]]
) -> None:
    (patterns, facts), (bindings, names) = case, bound
    symbols = Symbols()
    relation = Relation(tuple(symbols.words(fact[i] for fact in facts) for i in range(len(patterns))), len(facts))
    rows, partner = join(rows_of(bindings, names, symbols), relation, patterns, symbols)
    expected: list[tuple[int, list[tuple[str, Term]]]] = []
    for binding in bindings:
        for j, fact in enumerate(facts):
            extended: Binding | None = binding
            for pattern, ground in zip(patterns, fact, strict=True):
                extended = None if extended is None else match(pattern, ground, extended)
            if extended is not None:
                expected.append((j, sorted(extended.items(), key=lambda item: item[0])))
    found = [
        (j, sorted(binding.items(), key=lambda item: item[0]))
        for j, binding in zip(partner.tolist(), bindings_of(rows, symbols), strict=True)
    ]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_a_structure_may_stand_in_one_of_the_same_name() -> None:
    symbols = Symbols()
    words = symbols.words([parse_term("p(p(a, b), c)"), parse_term("p(a, c)")])
    found = unify_column(parse_term("p(p(X, Y), Z)"), words, Rows(2, {}), symbols)
    assert bindings_of(found, symbols) == [{"X": Atom("a"), "Y": Atom("b"), "Z": Atom("c")}]


def test_a_join_may_require_one_more_equal_column() -> None:
    symbols = Symbols()
    words = symbols.words([Atom("a"), Atom("a"), Atom("b")])
    (times,) = as_columns([(3,), (5,), (5,)], 1)
    rows = Rows(2, {}, as_columns([(5,), (4,)], 1)[0])
    assert rows.times is not None
    joined, partner = join(rows, Relation((words, times), 3), [Var("X")], symbols, (1, rows.times))
    assert symbols.terms(joined.columns["X"]) == [Atom("a"), Atom("b")]
    assert partner.tolist() == [1, 2]
    assert joined.times is not None
    assert joined.times.tolist() == [5, 5]


def test_bound_positions_are_those_without_unbound_variables() -> None:
    patterns = [Var("X"), parse_term("k(X, Y)"), Atom("a"), Var("Y")]
    assert bound_positions(patterns, {"X"}) == (0, 2)
    assert bound_positions(patterns, {"X", "Y"}) == (0, 1, 2, 3)
