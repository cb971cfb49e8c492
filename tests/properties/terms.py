"""Random terms and programs, as the parser would make them.

Every kind of term occurs: quoted and unquoted atoms, operators as atoms and as functors, numbers at the edges of their
range, strings, lists with and without tails, `{…}`, and operators of every priority inside each other. An anonymous
variable is named after its place in the clause, as the parser does.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from holdsfor.syntax.facts import MINIMAL_RUN
from holdsfor.syntax.operators import Operators
from holdsfor.syntax.program import Clause, Directive, FactTable, InputFactTable, Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Constant, Float, Int, Struct, Term, Var, list_term

__all__ = ["number_anonymous", "plain_constants", "programs", "spelled_out", "terms"]

_INFIX = sorted(set(Operators().infix) - {"|"})
_PREFIX = sorted(Operators().prefix)
_AWKWARD = [
    *("", " ", ".", "..", "a.", "%", "/*", "*/", "//*", "#", "@.", "'", "''", '""', '"', "\\", "\\x41\\", "\n", "\t"),
    *("\0", "\x1b", "\x7f", "\x85", "\u2028", "\ufeff", "é", "É", "ǅ", "ß", "λx", "²", "٣", "a٣", "名前", "🜁", "a b"),
    *("[]", "{}", "[|]", "!", ";", ",", "|", "_", "_x", "X", "Chris", "0x1", "1e5", "inf", "nan", "e", "true", "a\nb"),
]


def _words(first: str) -> st.SearchStrategy[str]:
    tail = st.text(alphabet="abzABZ019_é", max_size=4)
    return st.builds(lambda head, rest: head + rest, st.sampled_from(first), tail)


_names = st.one_of(
    _words("abz"),
    st.sampled_from(_AWKWARD),
    st.sampled_from(sorted({*_INFIX, *_PREFIX, "|"})),
    st.text(alphabet="-+*/\\^<>=~:.?@#&$", min_size=1, max_size=4),
    st.text(max_size=5),
)
_integers = st.one_of(st.integers(-12, 12), st.integers(-(2**70), 2**70))
_floats = st.one_of(
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, 1e22, 1e-7, 1e5, float("inf"), float("-inf")]),
)

plain_constants: st.SearchStrategy[Constant] = st.one_of(
    st.builds(Atom, _words("abz")),
    st.builds(Atom, st.text(alphabet="aZ 0.,()%|", max_size=5).filter(lambda text: set(text) != {"."})),
    st.builds(Int, _integers),
    st.builds(Float, st.sampled_from([0.0, 1.5, -2.25, 1.5e300, -1.25e-9])),
)
"""Constants that the fast path for facts reads; symbols such as `..`, which need no quotes, take the ordinary path."""

_leaves: st.SearchStrategy[Term] = st.one_of(
    st.builds(Atom, _names),
    st.builds(Int, _integers),
    st.builds(Float, _floats),
    st.builds(Var, _words("ABZ_")).filter(lambda var: var.name != "_"),
    st.just(Var("_#0")),
)


def _applied(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    one, two = st.tuples(inner), st.tuples(inner, inner)
    return st.one_of(
        st.builds(Struct, _names, st.one_of(one, two, st.tuples(inner, inner, inner))),
        st.builds(Struct, st.sampled_from(_INFIX), two),
        st.builds(Struct, st.sampled_from(_PREFIX), one),
        st.builds(Struct, st.just("{}"), one),
        st.builds(list_term, st.lists(inner, min_size=1, max_size=3), st.one_of(st.just(Atom("[]")), inner)),
    )


_any_terms: st.SearchStrategy[Term] = st.recursive(_leaves, _applied, max_leaves=12)


def number_anonymous(*terms: Term) -> tuple[Term, ...]:
    """The terms of one clause with their anonymous variables named by place, as the parser names them."""
    n_anonymous = 0

    def numbered(term: Term) -> Term:
        nonlocal n_anonymous
        if isinstance(term, Struct):
            return Struct(term.name, tuple(numbered(arg) for arg in term.args))
        if isinstance(term, Var) and term.is_anonymous:
            n_anonymous += 1
            return Var(f"_#{n_anonymous}")
        return term

    return tuple(numbered(term) for term in terms)


terms: st.SearchStrategy[Term] = _any_terms.map(lambda term: number_anonymous(term)[0])


def _is_head(term: Term) -> bool:
    """Whether a clause may begin with the term."""
    if isinstance(term, Struct):
        return (term.name, len(term.args)) not in {(":-", 1), (":-", 2)} and term.name != "-->"
    return isinstance(term, Atom) and term.name != "[]"


def _is_inert(goal: Term) -> bool:
    """Whether a directive leaves the operators as they are."""
    return not (isinstance(goal, Struct) and goal.name == "op")


def _table(name: str, rows: Sequence[Sequence[Constant]]) -> FactTable:
    return FactTable(name, tuple(list(column) for column in zip(*rows, strict=True)))


def _tables(arity: int) -> st.SearchStrategy[FactTable]:
    rows = st.lists(st.tuples(*[plain_constants] * arity), min_size=1, max_size=4)
    filled = rows.map(lambda some: (some * MINIMAL_RUN)[: MINIMAL_RUN + len(some)])
    return st.builds(_table, st.sampled_from(["a", "vesselType", "not", "dynamic", "x_1"]), filled)


def _rule(head: Term, body: Term) -> Clause:
    numbered = number_anonymous(head, body)
    return Clause(numbered[0], numbered[1])


_heads = _any_terms.filter(_is_head)
_clauses = st.one_of(
    st.builds(Clause, _heads.map(lambda head: number_anonymous(head)[0])),
    st.tuples(_heads, _any_terms).map(lambda pair: _rule(*pair)),
)
_directives = st.builds(Directive, terms.filter(_is_inert))
_items: st.SearchStrategy[Clause | Directive | FactTable] = st.one_of(
    _clauses, _clauses, _directives, st.integers(1, 3).flatmap(_tables)
)
programs: st.SearchStrategy[Program] = st.lists(_items, max_size=4).map(
    lambda items: Program(Source("random", ""), tuple(items))
)


def _given_clause(
    name: str, arguments: tuple[Constant, ...], value: Constant | None, start: int, end: int | None
) -> Clause:
    entity: Term = Struct(name, arguments) if arguments else Atom(name)
    if value is None:
        return Clause(Struct("happensAt", (entity, Int(start))))
    fvp = Struct("=", (entity, value))
    if end is None:
        return Clause(Struct("holdsAt", (fvp, Int(start))))
    return Clause(Struct("holdsFor", (fvp, list_term([Struct(",", (Int(start), Int(end)))]))))


def spelled_out(program: Program) -> list[Clause | Directive]:
    """The items with every fact as a clause: the grouping of facts into tables is not part of the meaning of a text."""
    items: list[Clause | Directive] = []
    for item in program.items:
        if isinstance(item, FactTable):
            items.extend(Clause(Struct(item.name, row)) for row in zip(*item.columns, strict=True))
        elif isinstance(item, InputFactTable):
            items.extend(_given_clause(*row) for row in item.rows)
        else:
            items.append(item)
    return items
