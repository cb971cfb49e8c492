"""Files of every kind: files that consult others, and files without text."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.errors import Diagnostic, Diagnostics
from holdsfor.syntax.load import load_programs, read_source
from holdsfor.syntax.printer import show


def load(*paths: Path) -> tuple[list[str], list[Diagnostic]]:
    """The names of the loaded files in their order, and the diagnostics."""
    diagnostics = Diagnostics()
    programs = load_programs(paths, diagnostics)
    assert diagnostics.render() or not len(diagnostics)
    return [Path(program.source.name).name for program in programs], list(diagnostics)


def heads(path: Path) -> list[str]:
    diagnostics = Diagnostics()
    programs = load_programs([path], diagnostics)
    assert not len(diagnostics), diagnostics.render()
    return [show(clause.head) for program in programs for clause in program.clauses]


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


# -- consulting --------------------------------------------------------------------------------------------------------


def test_consulted_files_come_first_each_once(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules.prolog", ":- [base, 'more.pl'].\n:- consult(base).\na.")
    write(tmp_path / "base.prolog", "b.")
    write(tmp_path / "more.pl", ":- ensure_loaded('base').\nc.")
    assert load(rules) == (["base.prolog", "more.pl", "rules.prolog"], [])
    assert load(rules, tmp_path / "base.prolog")[0] == ["base.prolog", "more.pl", "rules.prolog"]


def test_files_may_consult_each_other_in_a_cycle(tmp_path: Path) -> None:
    a = write(tmp_path / "a.prolog", ":- [b].\na.")
    write(tmp_path / "b.prolog", ":- [c].\nb.")
    write(tmp_path / "c.prolog", ":- [a, c].\nc.")
    assert load(a) == (["c.prolog", "b.prolog", "a.prolog"], [])


def test_a_consulted_file_is_looked_for_beside_the_one_that_consults_it(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules.prolog", ":- ['parts/base'].\na.")
    write(tmp_path / "parts" / "base.prolog", ":- [deep].\nb.")
    write(tmp_path / "parts" / "deep.pl", "c.")
    assert load(rules) == (["deep.pl", "base.prolog", "rules.prolog"], [])


@pytest.mark.parametrize("name", ["../secret", "..", "/", "/etc/passwd", "../rules/../secret.prolog", "link"])
def test_a_file_outside_the_folder_is_not_read(tmp_path: Path, name: str) -> None:
    secret = write(tmp_path / "secret.prolog", "b.")
    rules = write(tmp_path / "rules" / "rules.prolog", f":- ['{name}'].\na.")
    (tmp_path / "rules" / "link.prolog").symlink_to(secret)
    names, (diagnostic,) = load(rules)
    assert names == ["rules.prolog"]
    assert diagnostic.code == "HF118"


def test_a_file_outside_the_folder_may_be_named_as_well(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules" / "rules.prolog", ":- ['../base'].\na.")
    base = write(tmp_path / "base.prolog", "b.")
    assert load(rules, base) == (["base.prolog", "rules.prolog"], [])


def test_a_string_names_a_file_as_an_atom_does(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules.prolog", ':- consult("base.prolog").\na.')
    write(tmp_path / "base.prolog", "b.")
    assert load(rules) == (["base.prolog", "rules.prolog"], [])


def test_libraries_are_not_files(tmp_path: Path) -> None:
    assert (
        load(write(tmp_path / "rules.prolog", ":- consult(library(lists)).\n:- use_module(library(x)).\na."))[1] == []
    )


def test_a_long_chain_of_files_is_loaded(tmp_path: Path) -> None:
    for i in range(1_500):
        write(tmp_path / f"f{i}.pl", f":- [f{i + 1}].\na{i}.")
    write(tmp_path / "f1500.pl", "a.")
    names, said = load(tmp_path / "f0.pl")
    assert (len(names), names[0], said) == (1_501, "f1500.pl", [])


def test_a_missing_file_is_reported_where_it_is_consulted_with_the_existing_files(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules.prolog", "a.\n:- [bsae].\n")
    write(tmp_path / "base.prolog", "b.")
    names, (error,) = load(rules)
    assert names == ["rules.prolog"]
    assert error.code == "HF101"
    assert error.span
    assert (error.span.line, error.span.text) == (2, "bsae")
    assert error.hint == "the folder has `base.prolog`, `rules.prolog`"


def test_a_missing_file_in_a_missing_folder_says_so(tmp_path: Path) -> None:
    _, (error,) = load(tmp_path / "nowhere" / "rules.prolog")
    assert "not found" in error.message
    assert error.hint == f"the folder `{tmp_path / 'nowhere'}` does not exist"


@pytest.mark.parametrize("name", ["a" * 5_000, r"a\0\b", "", ".", r"a\nb"])
def test_an_impossible_file_name_is_a_diagnostic(tmp_path: Path, name: str) -> None:
    rules = write(tmp_path / "rules.prolog", f":- ['{name}'].\na.")
    names, (error,) = load(rules)
    assert (names, error.code) == (["rules.prolog"], "HF101")


# -- contents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fELF\x02\x01\x01\0\0\0", "is a binary file"),
        (b"a.\0b.", "is a binary file"),
        ("a('café').".encode("latin-1"), "is not UTF-8 text: byte 0xe9 in line 1"),
        (b"a.\nb('\xff').", "is not UTF-8 text: byte 0xff in line 2"),
        ("a.\n".encode("utf-16"), "is a binary file"),
        (b"\xed\xa0\x80.", "is not UTF-8 text"),
    ],
)
def test_a_file_without_text_is_one_error(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path / "rules.prolog", content)
    _, (error,) = load(path)
    assert error.code == "HF101"
    assert error.message.startswith(f"`{path}` {message}")
    assert error.place == str(path)


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"% only\n/* comments */\n", b"\xef\xbb\xbf"])
def test_a_file_without_clauses_is_noted(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "rules.prolog", content)
    _, (note,) = load(path)
    assert (note.code, note.severity, note.message) == ("HF393", "note", f"`{path}` has no clauses")
    assert note.place == str(path)


def test_a_nul_byte_far_down_is_an_error_at_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "rules.prolog", b"a.\n" * 3_000 + b"b(\0).\nc.\n")
    _, (error,) = load(path)
    assert (error.code, error.span and error.span.line) == ("HF102", 3_001)


def test_a_file_without_clauses_is_reported_also_when_another_has_errors(tmp_path: Path) -> None:
    broken = write(tmp_path / "broken.prolog", "a b.")
    hollow = write(tmp_path / "hollow.prolog", "% nothing")
    assert [error.code for error in load(broken, hollow)[1]] == ["HF106", "HF393"]


def test_a_file_with_only_directives_is_no_error(tmp_path: Path) -> None:
    write(tmp_path / "base.prolog", "a.")
    assert load(write(tmp_path / "all.prolog", ":- [base]."))[1] == []


def test_a_directory_is_an_error(tmp_path: Path) -> None:
    _, (error,) = load(tmp_path)
    assert (error.code, error.message) == ("HF101", f"`{tmp_path}` is a directory, expected a file")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert heads(write(tmp_path / "rules.prolog", b"\xef\xbb\xbfa(b).\n")) == ["a(b)"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_read(tmp_path: Path, line_end: str) -> None:
    text = f"a(b).{line_end}c(d) :-{line_end}  e.{line_end}"
    assert heads(write(tmp_path / "rules.prolog", text)) == ["a(b)", "c(d)"]


def test_a_comment_ends_with_its_line_for_all_line_ends(tmp_path: Path) -> None:
    assert heads(write(tmp_path / "rules.prolog", "a. % note\r\nb.\r\n")) == ["a", "b"]


def test_lines_are_counted_with_any_line_end(tmp_path: Path) -> None:
    _, (error,) = load(write(tmp_path / "rules.prolog", "a.\r\n\r\nb c.\r\n"))
    assert error.span
    assert (error.span.line, error.span.column) == (3, 3)
    assert "\r" not in error.render()


def test_text_in_any_script_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "rules.prolog", "πλοίο('Ναύτης', 名前).\n")
    assert heads(path) == ["πλοίο('Ναύτης',名前)"]


def test_the_text_of_a_file_is_returned_without_its_encoding(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    source = read_source(write(tmp_path / "rules.prolog", "é.\r\n"), diagnostics)
    assert source is not None
    assert source.text == "é.\n"
    assert not len(diagnostics)
