"""The index of patterns finds the same patterns as a comparison with each."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.analysis.pattern_index import PatternIndex, disjoint_patterns
from holdsfor.analysis.patterns import may_match, pattern_name
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var
from tests.seeds import examples

constants: st.SearchStrategy[Term] = st.sampled_from([Atom("a"), Atom("b"), Int(1), Float(1.0)])
leaves: st.SearchStrategy[Term] = st.one_of(st.sampled_from([Var("X"), Var("Y")]), constants)
arguments = st.one_of(leaves, st.builds(lambda name, arg: Struct(name, (arg,)), st.sampled_from("pq"), leaves))
entities = st.one_of(
    st.just(Atom("e")),
    st.builds(
        lambda name, args: Struct(name, tuple(args)), st.sampled_from("ef"), st.lists(arguments, min_size=1, max_size=2)
    ),
)
patterns = st.one_of(entities, st.builds(lambda entity, value: Struct("=", (entity, value)), entities, arguments))


@settings(max_examples=examples(100))
@given(st.lists(patterns, max_size=8), patterns, st.data())
def test_a_lookup_finds_every_pattern_that_may_match(added: list[Term], wanted: Term, data: st.DataObject) -> None:
    index = PatternIndex((pattern, i) for i, pattern in enumerate(added))
    removed = data.draw(st.sets(st.sampled_from(range(len(added)))) if added else st.just(set[int]()))
    for number in removed:
        index.remove(number)
    expected = [i for i, pattern in enumerate(added) if i not in removed and may_match(pattern, wanted)]
    assert index.matching(wanted) == expected
    assert index.has(wanted) == bool(expected)
    assert index.matching_any([wanted, wanted]) == expected


@settings(max_examples=examples(100))
@given(st.lists(patterns, max_size=8))
def test_disjoint_patterns_cover_all_and_do_not_match_each_other(given_patterns: list[Term]) -> None:
    found = disjoint_patterns(given_patterns)
    for pattern in given_patterns:
        assert sum(may_match(pattern, other) for other in found) == 1
    for i, pattern in enumerate(found):
        assert not any(may_match(pattern, other) for other in found[:i])


def test_disjoint_patterns_keep_the_order_of_first_appearance() -> None:
    texts = ["f(a)=true", "g(X)=true", "f(b)=true", "f(X)=false", "h", "f(_)=true"]
    found = disjoint_patterns(map(parse_term, texts))
    assert [pattern_name(pattern)[0] for pattern in found] == ["f", "f", "g", "h"]
    assert may_match(found[0], parse_term("f(zz)=true"))
    assert may_match(found[1], parse_term("f(zz)=false"))
