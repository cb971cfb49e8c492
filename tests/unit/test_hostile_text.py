"""Text from outside stays text: names, values and arguments of rules and records in every output that is generated.

Each output is read back by a parser of its own format. A name must come back as it was, and nothing else with it.
"""

from __future__ import annotations

import csv
import html.parser
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.api import Result
from holdsfor.cli.graph import drawing
from holdsfor.cli.main import main
from holdsfor.cli.plan import ANALYSES, PLANS
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import Diagnostic
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.serialization import pack, unpack
from holdsfor.prolog import Database, Engine
from holdsfor.runtime.recursion import time_stepping
from holdsfor.runtime.recursion.codegen import LoopData, LoopShape, compiled_loop, loop_text
from holdsfor.runtime.session import EngineSession
from holdsfor.sinks.change_lines import CHANGE_LINES, ChangeReport
from holdsfor.sinks.changes import Change
from holdsfor.sinks.result_lines import LINES
from holdsfor.spark.input.listing import File
from holdsfor.spark.output import databases
from holdsfor.spark.output.catalogue import CatalogueTarget
from holdsfor.spark.output.result_tables import Form
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term
from holdsfor.views.dot import to_dot
from holdsfor.views.mermaid import to_mermaid
from holdsfor.views.timeline import Row, draw_timeline, text_timeline

HOSTILE = {
    "line": "f\ng",
    "python": "f\nraise SystemExit('reached generated code')\n#",
    "indented": "f\n    raise SystemExit('reached generated code')\n    #",
    "carriage": "f\rg\r\nh",
    "quotes": 'it\'s "quoted" `here`',
    "docstring": "\"\"\"'''",
    "script": "</script><script>alert(1)</script>",
    "entity": "&amp;&#60;b>",
    "cdata": "]]><!-- --><?php ?>",
    "sql": "x'; DROP TABLE found; --",
    "identifier": 'x"; DROP TABLE found; --',
    "backquote": "x`; DROP TABLE found; --",
    "shell": "$(touch reached) `touch reached` ; | & > <",
    "backslash": "a\\n\\\\b\\",
    "nul": "a\0b",
    "control": "\x1b[31mred\x07\x08\x7f",
    "folder": "../../etc/passwd",
    "formula": '=HYPERLINK("http://x","y")',
    "regex": "(a+)+$.*[^]{2,}|?",
    "braces": "{x} {0} %s %(x)s {{}}",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "comment": "*/ /* % \n % x",
    "bidi": "a\u202eb\u2066c",
    "empty": "",
    "field": "a|b,c;d\te",
    "mermaid": 'end\n  click v0 "javascript:alert(1)"\n  A-->B[x]',
    "dot": '\\", shape=none]; a -> b [label="\\N',
}

ODD = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def quoted(text: str) -> str:
    return show(Atom(text))


def rules_of(text: str) -> Compiled:
    """A recursive component and an output event, with the text as every name, value and constant."""
    name = quoted(text)
    return compile_text(f"""
initially({name}(_)={name}).
initiatedAt({name}(X)=on, T) :- happensAt(press(X), T), holdsAt({name}(X)={name}, T), known(X, {name}).
initiatedAt({name}(X)={name}, T) :- happensAt(press(X), T), holdsAt({name}(X)=on, T).
happensAt({quoted(text + "!")}(X), T) :- happensAt(start({name}(X)=on), T).
fi({name}(X)=on, {name}(X)=late, 5).
known(X, {name}) :- X == X.
""")


def recognised(text: str) -> Result:
    return hf.recognise(rules_of(text), pa.table({"name": ["press"] * 2, "start": [1, 4], "arg1": [text] * 2}), end=9)


def fluent(text: str) -> Struct:
    return Struct(text, (Atom(text),))


def expected(text: str) -> set[Term]:
    values = [Atom("on"), Atom(text)]
    return {*(Struct("=", (fluent(text), value)) for value in values), Struct(text + "!", (Atom(text),))}


def is_safe(line: str) -> bool:
    """Whether a terminal shows the line as one line, and takes nothing in it for a command."""
    return line.isprintable()


@ODD
def test_an_answer_has_the_names_as_they_are(text: str) -> None:
    found = recognised(text)
    assert {*found.intervals, *found.times} == expected(text)
    assert found.intervals[Struct("=", (fluent(text), Atom("on")))] == [(2, 5)]


@ODD
def test_generated_code_has_no_names_of_the_program(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def noted(shape: LoopShape) -> Callable[[LoopData], int]:
        texts.append(loop_text(shape))
        return compiled_loop(shape)

    monkeypatch.setattr(time_stepping, "compiled_loop", noted)
    recognised(text)
    assert texts
    for loop in texts:
        kinds = {token.type for token in tokenize.generate_tokens(StringIO(loop).readline)}
        assert not kinds & {tokenize.COMMENT, tokenize.STRING}
        words = {token.string for token in tokenize.generate_tokens(StringIO(loop).readline) if token.type == 1}
        assert all(re.fullmatch(r"True|[a-z_]+(_\d+)*", word) for word in words)


@ODD
@pytest.mark.parametrize("form", LINES)
def test_lines_are_whole_and_give_the_names_back(text: str, form: str) -> None:
    lines = list(LINES[form]([recognised(text).reported]))
    assert form == "csv" or all(map(is_safe, lines))
    assert names_in[form](lines) == expected(text)


def _names_in_text(lines: list[str]) -> set[Term]:
    terms = [parse_term(line.removesuffix(".")) for line in lines if not line.startswith("%")]
    return {cast(Struct, term).args[0] for term in terms}


def _names_in_jsonl(lines: list[str]) -> set[Term]:
    return {parse_term(row["fvp"]) for row in map(json.loads, lines)}


def _names_in_csv(lines: list[str]) -> set[Term]:
    rows = list(csv.reader(StringIO("\n".join(lines), newline="")))
    assert {len(row) for row in rows} == {8}
    return {parse_term(row[5]) for row in rows[1:]}


names_in: dict[str, Callable[[list[str]], set[Term]]] = {
    "text": _names_in_text,
    "jsonl": _names_in_jsonl,
    "csv": _names_in_csv,
}


@ODD
@pytest.mark.parametrize("form", CHANGE_LINES)
def test_lines_of_changes_are_whole(text: str, form: str) -> None:
    name = show(Struct("=", (fluent(text), Atom(text))))
    changed = ChangeReport(5, [Change("added", name, None, (1, None))])
    lines = list(CHANGE_LINES[form]([changed]))
    assert form == "csv" or all(map(is_safe, lines))
    assert len(lines) == {"text": 2, "jsonl": 1, "csv": 2}[form]


class _Tags(html.parser.HTMLParser):
    """The tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@ODD
def test_a_page_shows_the_names_and_has_no_other_tags(text: str) -> None:
    page = _Tags()
    page.feed(recognised(text)._repr_html_())
    assert page.tags == {"table", "caption", "tr", "td", "code"}
    assert {show(term) for term in expected(text)} <= set(page.texts)


@ODD
def test_a_picture_is_well_formed_and_has_no_script(text: str, tmp_path: Path) -> None:
    odd = Row("state", (text,), text, [(0, 5)], columns=(text,))
    rows = [odd, Row(text, (text,), "other", [(6, 9)]), Row(show(fluent(text)), times=[3], kind="event")]
    path = draw_timeline(rows, start=0, end=9, path=tmp_path / "odd.svg", title=text, by="1").path
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
    assert tags <= {
        "svg",
        "metadata",
        "RDF",
        "Work",
        "type",
        "format",
        "creator",
        "Agent",
        "title",
        "defs",
        "style",
    } | {*("g", "path", "use", "clipPath", "rect", "text", "tspan")}


@ODD
def test_a_timeline_in_a_terminal_is_printable(text: str) -> None:
    assert all(map(is_safe, text_timeline([Row(text, (text,), text, [(0, 5)])], 0, 9).split("\n")))


_DOT_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_MERMAID_STRING = re.compile(r'"[^"\n]*"')


@ODD
def test_a_graph_has_names_in_strings_only(text: str) -> None:
    plain, odd = (drawing(rules_of(name), include_input=True) for name in ("plain", text))
    for written, string in ((to_dot, _DOT_STRING), (to_mermaid, _MERMAID_STRING)):
        assert sorted(string.sub("", written(odd)).split()) == sorted(string.sub("", written(plain)).split())
        assert all(map(is_safe, written(odd).split("\n")))


@ODD
def test_a_diagnostic_is_printable(text: str) -> None:
    shown = Diagnostic("HF503", f"`{text}` not found", hint=f"the line is `{text}`", file=text).render()
    assert len(shown.split("\n")) == (3 if text else 2)
    assert all(map(is_safe, shown.split("\n")))


@ODD
def test_every_stage_of_a_plan_is_printable(text: str) -> None:
    compiled = rules_of(text)
    session = EngineSession(compiled, start=0)
    for shown in [*(show_stage(compiled) for show_stage in ANALYSES.values()), *(p(session) for p in PLANS.values())]:
        assert all(map(is_safe, shown.split("\n")))


@ODD
def test_a_record_that_does_not_fit_is_shown_in_printable_lines(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text("initiatedAt(f(X)=true, T) :- happensAt(press(X), T).", encoding="utf-8")
    records.write_text(f"press|1|1|a\npress|{text}|x\n{text}|2|2|b\n", encoding="utf-8", newline="")
    main(["run", str(rules), "--input", str(records)])
    main(["run", str(rules), "--input", str(records), "--strict"])
    assert all(map(is_safe, capsys.readouterr().err.split("\n")))


def _identifiers(statement: str, quote: str) -> list[str]:
    """The quoted identifiers of an SQL statement; the rest of it is plain words."""
    string = re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}")
    assert re.fullmatch(r"[A-Z]+(?: [A-Z()*]+|[ .]+)*", string.sub("", statement))
    return [found[1:-1].replace(quote * 2, quote) for found in string.findall(statement)]


class _Spark:
    """Takes note of the statements that it is given."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def sql(self, statement: str) -> None:
        self.statements.append(statement)


TABLES = pytest.mark.parametrize("text", [t for t in HOSTILE.values() if t.strip("`") and "." not in t and len(t) < 30])


@TABLES
def test_statements_for_the_catalogue_have_the_name_quoted(text: str) -> None:
    spark = _Spark()
    place = CatalogueTarget(cast(Any, spark), text, Form())
    place._names = ["fast", text]
    place.discard()
    assert spark.statements
    for statement in spark.statements:
        (name,) = _identifiers(statement, "`")
        assert name.startswith(text.strip("`"))


@TABLES
def test_statements_for_a_database_have_the_name_quoted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection:
        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *arguments: None

    @contextmanager
    def connected(self: databases.DatabaseTarget) -> Iterator[Connection]:
        yield Connection()

    statements: list[str] = []
    monkeypatch.setattr(databases.DatabaseTarget, "_connected", connected)
    monkeypatch.setattr(databases, "run_statement", lambda connection, statement: statements.append(statement))
    monkeypatch.setattr(databases, "query_values", lambda connection, query, *parameters: [text])
    place = databases.DatabaseTarget(cast(Any, None), "jdbc:postgresql://host/sea", text, {}, overwrite=True)
    place._written.append("fast")
    place.move()
    place.discard()
    assert statements
    for statement in statements:
        assert all(name.startswith((text, "holdsfor_")) for name in _identifiers(statement, '"'))


@ODD
def test_a_pattern_of_files_matches_the_file_only(text: str) -> None:
    """Hadoop reads `\\` and the character after it as that character."""
    path = "/tmp/" + re.sub(r"[?#%;\0\s]", "", text)
    pattern = File(f"file:{path}", 1).pattern.removeprefix("file:")
    assert re.sub(r"\\(.)", r"\1", pattern) == path
    assert not re.search(r"(?<!\\)[*?\[\]{}]", re.sub(r"\\\\", "", pattern))


@ODD
def test_facts_between_processes_are_the_same(text: str) -> None:
    symbols, other = Symbols(), Symbols()
    terms: list[Term] = [Atom(text), fluent(text)]
    times = {"arrival": np.zeros(2, np.int64), "start": np.zeros(2, np.int64)}
    message = pack(Facts("event", "f", 1, 2, [symbols.words(terms)], times), Texts(symbols))
    (words,) = unpack(("event", "f", 1, 2), message, other).words
    assert other.terms(words) == terms


@ODD
def test_separators_of_a_text_are_characters_and_no_expression(text: str) -> None:
    goal = Struct("split_string", (Atom(f"a{text}b"), Atom(text), Atom(""), parse_term("L")))
    answer = Engine(Database()).once(goal)
    assert answer is not None
    assert show(answer["L"]).count(",") >= len([c for c in text if c not in "ab,"])


@ODD
def test_consecutive_facts_keep_their_constants(text: str) -> None:
    facts = "".join(f"known({quoted(text)}, {n}).\n" for n in range(100))
    compiled = compile_text(facts + "initiatedAt(f(X)=true, T) :- happensAt(press(X), T), known(X, 7).")
    found = hf.recognise(compiled, pa.table({"name": ["press"], "start": [1], "arg1": [text]}))
    assert list(found.intervals) == [Struct("=", (Struct("f", (Atom(text),)), Atom("true")))]
