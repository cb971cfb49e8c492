"""A program that goes to another process and back is the same program, with its facts, their order and its lines."""

from __future__ import annotations

import pickle

import holdsfor as hf
from holdsfor.errors import Diagnostics
from holdsfor.parallel.exchange.packed_programs import pack_program, unpack_program
from holdsfor.parallel.exchange.shipped_rules import Inline, Rules
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Clause, FactTable, Program
from holdsfor.syntax.source import Source

FACTS = "".join(f"owner(v{i}, 'Owner {i % 3}'). weight(v{i}, {i % 5}.5, {i}).\n" for i in range(100))
TEXT = f"""% owners
owner(first, o1).
initiatedAt(busy(O)=true, T) :- happensAt(sail(V), T), owner(V, O).
{FACTS}
heavy(V) :- weight(V, W, _), W > 2.
{FACTS.replace("v", "w")}owner(last, o1).
"""


def parsed() -> Program:
    program = parse_program(Source("fleet.prolog", TEXT), Diagnostics())
    assert sum(isinstance(item, FactTable) for item in program.items) == 4
    return program


def shown(program: Program) -> list[str]:
    return [
        f"{item.name} {list(map(list, item.columns))}" if isinstance(item, FactTable) else repr(item)
        for item in program.items
    ]


def test_facts_are_columns_and_clauses_keep_their_lines() -> None:
    program = parsed()
    packed = pickle.loads(pickle.dumps(pack_program(program)))
    assert "v50" not in packed.text
    assert sum(table.n for table in packed.tables) == 401
    again = unpack_program(packed, Diagnostics())
    assert shown(again) == shown(program)
    lines = ([each.span.line for each in p.items if isinstance(each, Clause) and each.span] for p in (program, again))
    assert len(set(map(tuple, lines))) == 1


def test_rules_with_facts_are_compiled_alike_in_another_process() -> None:
    compiled = hf.load_text(TEXT)
    rules = Rules.of(compiled)
    carrier = rules.carrier
    assert isinstance(carrier, Inline)
    assert carrier.n_facts == 401
    other = Rules("another digest", (), pickle.loads(pickle.dumps(carrier))).compiled()
    assert list(map(shown, other.programs)) == list(map(shown, compiled.programs))
