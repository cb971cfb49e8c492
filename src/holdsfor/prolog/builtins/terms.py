"""Predicates on the structure of terms that may have several answers, or need the parser."""

from __future__ import annotations

from holdsfor.errors import SyntaxProblem
from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.builtins.atoms import shown_whole, text_of
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.registry import Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import Ref, resolve, unify
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, substitute, variables

__all__: list[str] = []


@enumerated(("arg", 3))
def _arg(args: Arguments, run: BuiltinContext) -> Answers:
    number, term, _ = args
    if not isinstance(term, Struct):
        raise not_a("a structure", term)
    if isinstance(number, Var):
        return ((number_term(at), term, arg) for at, arg in enumerate(term.args, 1))
    if not isinstance(number, Int):
        raise not_a("an integer", number)
    is_there = 1 <= number.value <= len(term.args)
    return iter([(number, term, term.args[number.value - 1])] if is_there else [])


@deterministic(("term_to_atom", 2))
def _term_to_atom(args: Arguments, run: BuiltinContext) -> bool:
    term, text = args
    if isinstance(term, Var):
        return unify(term, parsed(text_of(text, run.trail), run), run.trail)
    return unify(text, Atom(shown_whole(resolve(term))), run.trail)


def parsed(text: str, run: BuiltinContext) -> Term:
    """The term that a text consists of, with new cells for its variables."""
    try:
        term = parse_term(text)
    except SyntaxProblem:
        raise GoalProblem("HF603", f"expected the text of a term, found `{text[:100]}`") from None
    return substitute(term, {name: Ref(run.trail.stamp) for name in variables(term)})
