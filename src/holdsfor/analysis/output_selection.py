"""The output that a run reports, and the components that it computes for it.

Rules choose output with `:- output(…)` directives, a run with `--show` or `show=`, which replaces the directives. The
components that the chosen events and FVPs depend on are computed, the others are not. Reports have only the chosen
instances, so the answer is the answer of all rules, restricted to the patterns of the selection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.analysis.dependencies import DependencyGraph, Vertex
from holdsfor.analysis.draft import Draft
from holdsfor.analysis.levels import Levels
from holdsfor.analysis.names import Names, is_fvp_term
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.patterns import anonymous, is_instance, pattern_name
from holdsfor.errors import Diagnostics, UsageProblem, did_you_mean
from holdsfor.syntax.output_selectors import Selectors, selector_terms
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, name_and_arity

__all__ = ["OutputSelection", "chosen_patterns", "defined_patterns", "select_output"]

Key = tuple[str, int]

_SHOWN_NAMES = 12


@dataclass(frozen=True)
class OutputSelection:
    """The patterns of events and FVPs (`F=V`) that are reported, and the numbers of the components to compute.

    `vertices` match a pattern. `computed` are those vertices and all that they depend on, `left_out` the others.
    """

    patterns: tuple[Term, ...]
    components: frozenset[int]
    vertices: tuple[Vertex, ...] = field(repr=False)
    computed: tuple[Vertex, ...] = field(repr=False)
    left_out: tuple[Vertex, ...] = field(repr=False)

    @cached_property
    def _index(self) -> PatternIndex[Term]:
        return PatternIndex((pattern, pattern) for pattern in self.patterns)

    def may_include(self, pattern: Term) -> bool:
        """Whether an instance of a pattern may be reported."""
        return self._index.has(pattern)

    def includes(self, term: Term) -> bool:
        """Whether a ground event or FVP is reported."""
        return any(is_instance(term, pattern) for pattern in self._index.matching(term))

    def of_name(self, key: Key, *, is_fluent: bool) -> list[Term]:
        """The patterns of an event or fluent by its name and arity."""
        return self._by_name.get((is_fluent, *key), [])

    @cached_property
    def _by_name(self) -> dict[tuple[bool, str, int], list[Term]]:
        found: dict[tuple[bool, str, int], list[Term]] = {}
        for pattern in self.patterns:
            found.setdefault((is_fvp_term(pattern), *pattern_name(pattern)), []).append(pattern)
        return found

    def __str__(self) -> str:
        """The output, the events and FVPs that are computed for it, and those that are not computed."""
        shown = set(self.vertices)
        parts = {
            "shown": dict.fromkeys(map(show, self.patterns)),
            "computed, not shown": [vertex.label for vertex in self.computed if vertex not in shown],
            "not computed": [vertex.label for vertex in self.left_out],
        }
        return "".join(
            f"{title}\n" + "".join(f"  {line}\n" for line in lines) for title, lines in parts.items() if lines
        )


def select_output(draft: Draft) -> None:
    """Resolve the selectors of the description; report those that match no output (HF220)."""
    selectors, names, graph = draft.description.selectors, draft.names, draft.graph
    draft.selection = None
    if not selectors:
        return
    patterns: dict[Term, None] = {}
    for selector in selectors:
        found = [each for each in defined_patterns(selector, names) if _matching(graph, each)]
        if not found:
            _report_unknown(selector, names, draft.diagnostics)
        patterns |= dict.fromkeys(found)
    draft.selection = _selection(tuple(patterns), graph, draft.levels)


def chosen_patterns(
    selectors: Selectors, name: str, names: Names, graph: DependencyGraph, selection: OutputSelection | None
) -> list[Term]:
    """The patterns of events and FVPs that selectors choose from the output of a run.

    `name` is the option or argument with the selectors. A selector without output is HF220.
    """
    diagnostics = Diagnostics()
    patterns: dict[Term, None] = {}
    for selector in selector_terms(selectors, name, diagnostics):
        found = [each for each in defined_patterns(selector, names) if _matching(graph, each)]
        reported = [each for each in found if selection is None or selection.may_include(each)]
        if not found:
            _report_unknown(selector, names, diagnostics)
        elif not reported:
            assert selection is not None
            shown = ", ".join(f"`{each}`" for each in dict.fromkeys(map(show, map(anonymous, selection.patterns))))
            message = f"`{show(selector)}` is not among the output that is shown"
            diagnostics.add("HF220", message, hint=f"the output is {shown}")
        patterns |= dict.fromkeys(reported)
    if len(diagnostics):
        raise UsageProblem(diagnostics)
    return list(patterns)


def _matching(graph: DependencyGraph, pattern: Term) -> list[Vertex]:
    return graph.matching(pattern, ["simple", "static"] if is_fvp_term(pattern) else ["event"])


def _selection(patterns: tuple[Term, ...], graph: DependencyGraph, levels: Levels) -> OutputSelection:
    """The selection of patterns, with everything that they depend on."""
    components = [component for component in levels.components if not component.is_input]
    number_of = {vertex: i for i, component in enumerate(components) for vertex in component.vertices}
    read_by: dict[int, set[int]] = {i: set() for i in range(len(components))}
    for edge in graph.edges:
        if edge.source in number_of:
            read_by[number_of[edge.target]].add(number_of[edge.source])
    matching = {vertex for pattern in patterns for vertex in _matching(graph, pattern)}
    needed = _closure({number_of[vertex] for vertex in matching}, read_by)
    output = [vertex for component in components for vertex in component.vertices]
    return OutputSelection(
        patterns,
        frozenset(needed),
        tuple(vertex for vertex in output if vertex in matching),
        tuple(vertex for vertex in output if number_of[vertex] in needed),
        tuple(vertex for vertex in output if number_of[vertex] not in needed),
    )


def _closure(first: Collection[int], read_by: dict[int, set[int]]) -> set[int]:
    """The components, and all that they read from."""
    found, waiting = set(first), list(first)
    while waiting:
        fresh = read_by[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def defined_patterns(selector: Term, names: Names) -> list[Term]:
    """The patterns that a selector stands for, of the events and fluents that rules define."""
    keys = {*_output_fluents(names), *_output_events(names)}
    return [pattern for pattern in _patterns(selector, names) if pattern_name(pattern) in keys]


def _patterns(selector: Term, names: Names) -> Iterator[Term]:
    """The patterns of events and FVPs that a selector stands for."""
    if is_fvp_term(selector):
        yield selector
        return
    fluents, events = _output_fluents(names), _output_events(names)
    match selector:
        case Atom(name):
            keys: Iterable[Key] = [key for key in (*fluents, *events) if key[0] == name]
        case Struct(name="/", args=(Atom(name), Int(arity))):
            keys = [(name, arity)]
        case _:
            entity = selector
            if name_and_arity(entity) in fluents:
                yield Struct("=", (entity, Var("_#value")), entity.span)
            else:
                yield entity
            return
    for key in keys:
        any_instance = _any_instance(key)
        if key in fluents:
            yield Struct("=", (any_instance, Var("_#value")))
        if key in events:
            yield any_instance


def _any_instance(key: Key) -> Term:
    name, arity = key
    return Struct(name, tuple(Var(f"_#{i + 1}") for i in range(arity))) if arity else Atom(name)


def _output_fluents(names: Names) -> dict[Key, None]:
    return dict.fromkeys(pattern_name(pattern) for pattern in (*names.simple, *names.static))


def _output_events(names: Names) -> dict[Key, None]:
    return dict.fromkeys(map(name_and_arity, names.output_events))


def _report_unknown(selector: Term, names: Names, diagnostics: Diagnostics) -> None:
    """Report a selector that matches no output, with the output that it may mean."""
    known = (*_output_fluents(names), *_output_events(names))
    is_indicator = isinstance(selector, Struct) and selector.name == "/"
    named = selector.args[0] if isinstance(selector, Struct) and (is_indicator or is_fvp_term(selector)) else selector
    name = name_and_arity(named)[0]
    same = [key for key in known if key[0] == name]
    inputs = [key for key in (*names.input_events, *names.input_fluents) if key[0] == name]
    if same and isinstance(selector, Struct):
        hint = f"there {'is' if len(same) == 1 else 'are'} {_listed(same)}{_values(same, names)}"
    elif inputs:
        hint = f"{_listed(inputs)} is input: only the fluents and events that rules define are reported"
    else:
        hint = did_you_mean(name, [each for each, _ in known]) or f"the rules define {_listed(known) or 'nothing'}"
    message = f"no rule defines the output `{show(selector)}`"
    diagnostics.add("HF220", message, None if isinstance(selector, Var) else selector.span, hint)


def _listed(keys: Collection[Key]) -> str:
    shown = [f"`{show_indicator(*key)}`" for key in keys]
    more = f" and {len(shown) - _SHOWN_NAMES} more" if len(shown) > _SHOWN_NAMES else ""
    return ", ".join(shown[:_SHOWN_NAMES]) + more


def _values(keys: Collection[Key], names: Names) -> str:
    """The FVPs of the fluents among the names."""
    fvps = dict.fromkeys(show(anonymous(p)) for p in (*names.simple, *names.static) if pattern_name(p) in keys)
    return f", with {', '.join(f'`{fvp}`' for fvp in list(fvps)[:_SHOWN_NAMES])}" if fvps else ""
