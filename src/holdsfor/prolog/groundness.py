"""Groundness: the variables of a goal that have values after its proof, by abstract interpretation of the clauses.

A fact such as `price(_, 10).` or a clause such as `same(X, X).` may leave variables unbound. The analysis runs the
clauses on sets of variables instead of values: a variable is *ground* after a goal if every clause that may prove the
goal binds the variable. For a recursive call, the analysis assumes the property that it is about to show; a proof is
finite, so this is sound.

A goal *needs* the variables whose absence makes its proof an error: `X` in `far(X) :- X > 3.` The goal does not bind
them: they have values after the goal because they must have values before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from holdsfor.prolog.clauses import CompiledClause
from holdsfor.prolog.compiler import TESTS
from holdsfor.prolog.database import Database, Predicate
from holdsfor.syntax.terms import Struct, Term, chained, conjuncts, is_callable, is_ground, name_and_arity, variables

__all__ = ["Groundness"]

Key = tuple[str, int]
_Ways = tuple[tuple[int, ...], ...]

_ALWAYS: _Ways = ((),)
_BUILT_IN: dict[Key, _Ways] = {
    **dict.fromkeys((("between", 3), ("succ", 2), ("plus", 3), ("queryTime", 1)), _ALWAYS),
    **dict.fromkeys((("atom_length", 2), ("atom_number", 2), ("char_code", 2), ("atom_chars", 2)), _ALWAYS),
    **dict.fromkeys((("atom_codes", 2), ("atom_concat", 3), ("sub_atom", 5), ("numlist", 3)), _ALWAYS),
    **dict.fromkeys((("upcase_atom", 2), ("downcase_atom", 2), ("split_string", 4), ("number_codes", 2)), _ALWAYS),
    **dict.fromkeys((("sum_list", 2), ("sumlist", 2), ("max_list", 2), ("min_list", 2)), _ALWAYS),
    **dict.fromkeys((("member", 2), ("memberchk", 2), ("max_member", 2), ("min_member", 2)), ((1,),)),
    **dict.fromkeys((("nth0", 3), ("nth1", 3), ("select", 3), ("arg", 3)), ((1,),)),
    **dict.fromkeys(
        (("length", 2), ("reverse", 2), ("msort", 2), ("sort", 2), ("last", 2), ("list_to_set", 2)), ((0,),)
    ),
    **dict.fromkeys((("permutation", 2), ("atomic_list_concat", 2), ("=..", 2), ("keysort", 2)), ((0,), (1,))),
    **dict.fromkeys((("subtract", 3), ("intersection", 3), ("union", 3), ("delete", 3)), ((0, 1),)),
    **dict.fromkeys((("hour_of_day", 2), ("day_of_week", 2), ("date", 4)), ((0,),)),
    ("distance", 5): ((0, 1, 2, 3),),
    ("in_area", 3): ((0, 1),),
    ("near_area", 4): ((0, 1, 2),),
    ("append", 3): ((2,), (0, 1)),
    ("atomic_list_concat", 3): ((0,), (1, 2)),
    ("sort", 4): ((2,),),
}
"""For built-in predicates, the sets of arguments that determine all others; one of the sets is enough."""

_NUMERIC = frozenset((name, 2) for name in ("is", "<", ">", "=<", ">=", "=:=", "=\\="))
_NEEDED: dict[Key, _Ways] = {
    **dict.fromkeys((("between", 3), ("numlist", 3)), ((0, 1),)),
    **dict.fromkeys((("atom_length", 2), ("upcase_atom", 2), ("downcase_atom", 2), ("sub_atom", 5)), ((0,),)),
    **dict.fromkeys((("sum_list", 2), ("sumlist", 2), ("max_list", 2), ("min_list", 2)), ((0,),)),
    **dict.fromkeys((("msort", 2), ("sort", 2), ("keysort", 2), ("sort", 4), ("list_to_set", 2)), ((0,),)),
    **dict.fromkeys((("succ", 2), ("atom_number", 2), ("char_code", 2), ("atom_chars", 2)), ((0,), (1,))),
    **dict.fromkeys((("atom_codes", 2), ("number_codes", 2), ("=..", 2)), ((0,), (1,))),
    **dict.fromkeys((("hour_of_day", 2), ("day_of_week", 2), ("date", 4)), ((0,),)),
    ("distance", 5): ((0, 1, 2, 3),),
    ("in_area", 3): ((0, 1),),
    ("near_area", 4): ((0, 1, 2),),
    ("plus", 3): ((0, 1), (0, 2), (1, 2)),
    ("atom_concat", 3): ((0, 1), (2,)),
    ("atomic_list_concat", 2): ((0,),),
    ("atomic_list_concat", 3): ((0, 1), (1, 2)),
    ("split_string", 4): ((0, 1, 2),),
    ("functor", 3): ((0,), (1, 2)),
    ("arg", 3): ((1,),),
    **dict.fromkeys([(name, 2) for name in ("<", ">", "=<", ">=", "=:=", "=\\=")], ((0, 1),)),
    ("is", 2): ((1,),),
}
"""For built-in predicates, the sets of arguments that must be bound; one of the sets is enough."""


class Groundness:
    """The groundness of goals of a database. The database must not change afterwards, except for ground facts."""

    def __init__(self, database: Database, always_ground: Iterable[Key] = ()) -> None:
        self._database = database
        self._always_ground = set(always_ground)
        self._known: dict[tuple[Key, frozenset[int]], frozenset[int]] = {}
        self._needs: dict[tuple[Key, frozenset[int]], frozenset[int]] = {}

    def has_only_facts(self, key: Key) -> bool:
        """Whether a predicate consists of ground facts."""
        predicate = self._database.contents.get(key)
        if predicate is None or predicate.table is not None:
            return predicate is not None
        return all(clause.body is None and is_ground(clause.head) for clause in predicate.living())

    def after(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that are ground after a goal, given the variables that are ground before it."""
        if not is_callable(goal):
            return ground
        key = name_and_arity(goal)
        construct = _CONSTRUCTS.get(key)
        if construct is not None and isinstance(goal, Struct):
            return construct(self, chained(goal) if key in _CHAINS else goal.args, ground)
        return ground | self._after_call(goal, key, ground) if isinstance(goal, Struct) else ground

    def _after_call(self, goal: Struct, key: Key, ground: set[str]) -> set[str]:
        given = frozenset(i for i, arg in enumerate(goal.args) if set(variables(arg)) <= ground)
        return set(variables(*(goal.args[i] for i in self.arguments(key, given))))

    def arguments(self, key: Key, given: frozenset[int]) -> frozenset[int]:
        """The arguments of a predicate that are ground after a call in which the `given` arguments are ground."""
        everything = frozenset(range(key[1]))
        predicate = self._database.contents.get(key)
        if key in self._always_ground or (predicate is not None and predicate.table is not None):
            return everything
        if predicate is None:
            return everything if any(set(way) <= given for way in _BUILT_IN.get(key, ())) else given
        if (key, given) not in self._known:
            self._compute_groundness(predicate, (key, given), everything)
        return self._known[key, given]

    def needed(self, goal: Term, ground: set[str]) -> set[str]:
        """The variables that a goal needs, besides the variables that are ground before it."""
        if not isinstance(goal, Struct):
            return set()
        key = name_and_arity(goal)
        if key in _PARTS:
            return self._needed_by_parts(goal, ground)
        given = frozenset(i for i, arg in enumerate(goal.args) if set(variables(arg)) <= ground)
        return set(variables(*(goal.args[i] for i in self._needed_arguments(key, given)))) - ground

    def _needed_by_parts(self, goal: Struct, ground: set[str]) -> set[str]:
        """The variables that the goals of a construct need; in a conjunction, earlier goals bind variables for later
        ones.
        """
        found, key = set[str](), name_and_arity(goal)
        parts = chained(goal) if key in _CHAINS else [goal.args[place] for place in _PARTS[key]]
        for part in parts:
            found |= self.needed(part, ground)
            if goal.name in _SEQUENCES:
                ground = self.after(part, ground | found)
        return found

    def _needed_arguments(self, key: Key, given: frozenset[int]) -> frozenset[int]:
        predicate = self._database.contents.get(key)
        if key in self._always_ground or (predicate is not None and predicate.table is not None):
            return frozenset()
        if predicate is None:
            return min((frozenset(way) - given for way in _NEEDED.get(key, _ALWAYS)), key=len)
        if (key, given) not in self._needs:
            self._compute_needs(predicate, (key, given))
        return self._needs[key, given]

    def _compute_needs(self, predicate: Predicate, call: tuple[Key, frozenset[int]]) -> None:
        """Compute the least fixpoint: assume that no argument is needed, and iterate until nothing changes."""
        assumed = frozenset[int]()
        while True:
            before = set(self._needs)
            self._needs[call] = assumed
            found = assumed.union(*(self._needed_by_clause(clause, call[1]) for clause in predicate.living()))
            if found == assumed:
                return
            assumed = found
            self._needs = {known: needs for known, needs in self._needs.items() if known in before}

    def _needed_by_clause(self, clause: CompiledClause, given: frozenset[int]) -> frozenset[int]:
        """The arguments that the body needs: all, if it needs a local variable that not only arithmetic uses."""
        if clause.body is None or not isinstance(clause.head, Struct):
            return frozenset()
        args = clause.head.args
        needed = self.needed(clause.body, set(variables(*(args[i] for i in given))))
        others = [goal for goal in conjuncts(clause.body) if is_callable(goal) and name_and_arity(goal) not in _NUMERIC]
        if (needed - set(variables(*args))) & set(variables(*others)):
            return frozenset(range(len(args))) - given
        return frozenset(i for i, arg in enumerate(args) if i not in given and needed & set(variables(arg)))

    def _compute_groundness(
        self, predicate: Predicate, call: tuple[Key, frozenset[int]], assumed: frozenset[int]
    ) -> None:
        """Compute the greatest fixpoint from `assumed`; results that depend on a wrong assumption are discarded."""
        while True:
            before = set(self._known)
            self._known[call] = found = assumed
            for clause in predicate.living():
                found &= self._of_clause(clause.head, clause.body, call[1])
            if found == assumed:
                return
            assumed = found
            self._known = {known: ground for known, ground in self._known.items() if known in before}

    def _of_clause(self, head: Term, body: Term | None, given: frozenset[int]) -> frozenset[int]:
        args = head.args if isinstance(head, Struct) else ()
        if body is None and all(map(is_ground, args)):
            return frozenset(range(len(args)))
        ground = set(variables(*(args[i] for i in given)))
        after = ground if body is None else self.after(body, ground)
        return frozenset(i for i, arg in enumerate(args) if i in given or set(variables(arg)) <= after)


def _both(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    for goal in args:
        ground = analysis.after(goal, ground)
    return ground


def _either(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    return set.intersection(*(analysis.after(branch, ground) for branch in args))


def _same(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    return ground


def _called(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    return analysis.after(args[0], ground)


def _unified(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    left, right = (set(variables(arg)) for arg in args)
    return ground | left | right if left <= ground or right <= ground else ground


def _tested(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    """Arithmetic is an error unless all variables have values, so all variables have values afterwards."""
    return ground | set(variables(*args))


def _assigned(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    return ground | set(variables(*args)) if set(variables(args[1])) <= ground else ground


def _collected(analysis: Groundness, args: Sequence[Term], ground: set[str]) -> set[str]:
    template, goal, result = args[:3]
    is_ground_inside = set(variables(template)) <= analysis.after(goal, ground)
    return ground | set(variables(result)) if is_ground_inside else ground


_Construct = Callable[[Groundness, Sequence[Term], set[str]], set[str]]

_CONSTRUCTS: dict[Key, _Construct] = {
    (",", 2): _both,
    ("->", 2): _both,
    ("*->", 2): _both,
    (";", 2): _either,
    ("=", 2): _unified,
    ("is", 2): _assigned,
    ("call", 1): _called,
    ("once", 1): _called,
    ("findall", 3): _collected,
    ("aggregate_all", 3): _collected,
    ("setof", 3): _collected,
    ("bagof", 3): _collected,
    **dict.fromkeys((("\\+", 1), ("not", 1), ("forall", 2), ("ignore", 1)), _same),
    **dict.fromkeys([(name, 2) for name in ("<", ">", "=<", ">=", "=:=", "=\\=")], _tested),
    **dict.fromkeys([key for key in TESTS if key not in (("=", 2), ("is", 2)) and key[0].isidentifier()], _same),
    **dict.fromkeys([(name, 2) for name in ("\\=", "==", "\\==", "@<", "@>", "@=<", "@>=")], _same),
}

_CHAINS = frozenset(((",", 2), ("->", 2), ("*->", 2), (";", 2)))
_SEQUENCES = frozenset([",", "->", "*->", "forall"])
_PARTS: dict[Key, tuple[int, ...]] = {
    **dict.fromkeys((*_CHAINS, ("forall", 2)), (0, 1)),
    **dict.fromkeys((("\\+", 1), ("not", 1), ("once", 1), ("ignore", 1), ("call", 1)), (0,)),
    **dict.fromkeys((("findall", 3), ("aggregate_all", 3), ("setof", 3), ("bagof", 3)), (1,)),
}
"""The arguments of constructs that are goals."""
