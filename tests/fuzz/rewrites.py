"""Texts that are right in syntax and odd in everything else: clauses with parts of their terms exchanged."""

from __future__ import annotations

import random
from functools import lru_cache

from holdsfor.errors import Diagnostics
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.printer import show_program
from holdsfor.syntax.program import Clause, Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Struct, Term

__all__ = ["rewritten_text"]

_ODD_TERMS = [
    *("3", "-1", "1.5", '"s"', "[]", "{}", "_", "X", "T", "I", "true", "fail", "!", "a", "f=V", "f(X)=true", "[a|X]"),
    *("\\+ X", "not happensAt(e,T)", "(a;b)", "(a->b;c)", "X^a", "[I1,I2]", "[(1,2)]", "[(3,inf)]", "holdsAt(f=V,T)"),
    *(
        "happensAt(start(f=V),T)",
        "initiatedAt(f=V,T)",
        "terminatedAt(f=V,_,T,_)",
        "initiates(e,f=V,T)",
        "holdsFor(f=V,I)",
    ),
    *(
        "union_all([I],J)",
        "findall(X,holdsAt(f=X,T),L)",
        "aggregate_all(count,happensAt(e,T),N)",
        "forall(a,b)",
        "(a=b)=c",
    ),
    *(
        "X is Y+1",
        "X<3",
        "I\\=[]",
        "\\+ I=[]",
        "I=[]",
        "I=J",
        "1=2",
        "during(I,J,lhs,K)",
        "allen(a,I,J,b,K)",
        "f(g(h(X)))",
    ),
    *("'A b'", "''", "99999999999999999999", "1.0Inf", "start(f=V)", "end(end(f=V)=V)", "(f=V)=V", "call(X)", "X=..L"),
]


def rewritten_text(random_: random.Random, texts: tuple[str, ...]) -> str:
    """Some clauses of the corpus, each perhaps with other terms inside."""
    files = _clauses(texts)
    clauses = list(random_.choice(files))
    for _ in range(random_.choice([0, 0, 1, 2])):
        clauses += random_.choice(files)
    chosen = random_.sample(clauses, min(len(clauses), random_.choice([1, 2, 5, 15, 40])))
    for _ in range(random_.choice([1, 2, 4, 8])):
        at = random_.randrange(len(chosen))
        chosen[at] = _rewritten(random_, chosen[at], random_.choice(clauses))
    return show_program(Program(Source("rewritten", ""), tuple(chosen)))


@lru_cache(maxsize=1)
def _clauses(texts: tuple[str, ...]) -> list[list[Clause]]:
    """The clauses of every text that has some."""
    programs = [parse_program(Source("corpus", text), Diagnostics()) for text in texts]
    return [list(program.clauses) for program in programs if program.clauses]


def _rewritten(random_: random.Random, clause: Clause, other: Clause) -> Clause:
    """The clause with one part replaced, wrapped, or with one argument more or less."""
    head, body = clause.head, clause.body
    if body is not None and random_.random() < 0.7:
        return Clause(head, _replace(random_, body, other))
    if isinstance(head, Struct):
        at = random_.randrange(len(head.args))
        args = [*head.args[:at], _replace(random_, head.args[at], other), *head.args[at + 1 :]]
        return Clause(Struct(head.name, tuple(args)), body)
    return Clause(head, other.body)


def _replace(random_: random.Random, term: Term, other: Clause) -> Term:
    """The term with one random subterm exchanged."""
    if isinstance(term, Struct) and random_.random() < 0.8:
        at = random_.randrange(len(term.args))
        args = [*term.args[:at], _replace(random_, term.args[at], other), *term.args[at + 1 :]]
        return Struct(term.name, tuple(args))
    match random_.randrange(6):
        case 0:
            return _subterm(random_, other.head)
        case 1 if other.body is not None:
            return _subterm(random_, other.body)
        case 2 if isinstance(term, Struct) and len(term.args) > 1:
            return Struct(term.name, term.args[1:])
        case 3 if isinstance(term, Struct):
            return Struct(term.name, (*term.args, term.args[0]))
        case 4:
            return Struct(random_.choice([",", ";", "->", "=", "-", "f"]), (term, _odd_term(random_)))
        case _:
            return _odd_term(random_)


def _subterm(random_: random.Random, term: Term) -> Term:
    while isinstance(term, Struct) and random_.random() < 0.7:
        term = random_.choice(term.args)
    return term


def _odd_term(random_: random.Random) -> Term:
    return parse_term(random_.choice(_ODD_TERMS))
