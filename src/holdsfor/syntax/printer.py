"""Terms to text, in canonical Prolog form: `parse_term(show(term)) == term`."""

from __future__ import annotations

import math
import re

from holdsfor.syntax.operators import Infix, Operators, declare_operators
from holdsfor.syntax.program import Clause, Directive, FactTable, GivenRow, InputFactTable, Program
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, Var, list_items

__all__ = ["show", "show_clause", "show_constant", "show_indicator", "show_program"]

_OPERATORS = Operators()
_WORD = re.compile(r"[^\W\d_A-Z]\w*\Z")
_SYMBOL = re.compile(r"[-+*/\\^<>=~:.?@#&$]+\Z")
_SOLO = frozenset(["[]", "!", ";", "{}"])
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0\\", "\x1b": "\\e"}


def show(term: Term) -> str:
    """The term as text.

    >>> from holdsfor.syntax.parser import parse_term
    >>> show(parse_term("'='(location('Chris'), pub)"))
    "location('Chris')=pub"
    """
    try:
        return _Writer(_OPERATORS).write(term, 1200)
    except RecursionError:
        if isinstance(term, Struct) and term.name == "=" and len(term.args) == 2:
            return "=".join(map(_written_without_operators, term.args))
        return _written_without_operators(term)


def _written_without_operators(term: Term) -> str:
    """A term that is nested too deeply for `_Writer`, written without operators except for lists."""
    pieces: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            pieces.append(here)
        elif isinstance(here, Var):
            pieces.append("_" if here.is_anonymous else here.name)
        elif not isinstance(here, Struct):
            pieces.append(show_constant(here))
        else:
            items, tail = list_items(here)
            opening = "[" if items else f"{_functor(here.name)}("
            rest: list[Term | str] = [] if not items or tail == Atom("[]") else ["|", tail]
            stack += ["]" if items else ")", *reversed(rest)]
            stack += reversed([part for arg in items or here.args for part in (",", arg)][1:])
            pieces.append(opening)
    return "".join(pieces)


def show_constant(term: Atom | Int | Float | Str) -> str:
    """A constant as text, quoted where needed."""
    match term:
        case Atom(name):
            return _atom(name)
        case Int(value):
            return str(value)
        case Float(value):
            return _float(value)
        case Str(value):
            return '"' + _escape(value, '"') + '"'


def show_indicator(name: str, arity: int) -> str:
    """A predicate, fluent or event by its name and number of arguments.

    >>> show_indicator("happy", 1), show_indicator("a b", 2)
    ('happy/1', "'a b'/2")
    """
    return f"{_atom(name)}/{arity}"


def show_clause(clause: Clause, operators: Operators = _OPERATORS) -> str:
    """The clause with its full stop, one goal per line."""
    writer = _Writer(operators)
    head = writer.write(clause.head, 999)
    if clause.body is None:
        return _ended(head)
    goals = [writer.write(goal, 999) for goal in _goals(clause.body)]
    return _ended(f"{head} :-\n    " + ",\n    ".join(goals))


def show_program(program: Program) -> str:
    """The program as text that parses to the same program."""
    lines: list[str] = []
    operators = Operators()
    for item in program.items:
        match item:
            case Clause():
                lines.append(show_clause(item, operators))
            case Directive(goal):
                lines.append(_ended(f":- {_Writer(operators).write(goal, 1199)}"))
                declare_operators(goal, operators)
            case FactTable(name, columns):
                for row in zip(*columns, strict=True):
                    lines.append(f"{_atom(name)}({','.join(map(show_constant, row))}).")
            case InputFactTable(rows):
                lines += map(_show_input_facts, rows)
    return "\n".join(lines) + "\n" if lines else ""


def _show_input_facts(row: GivenRow) -> str:
    name, arguments, value, start, end = row
    entity = f"{_atom(name)}({','.join(map(show_constant, arguments))})" if arguments else _atom(name)
    if value is None:
        return f"happensAt({entity},{start})."
    fvp = f"{entity}={show_constant(value)}"
    return f"holdsAt({fvp},{start})." if end is None else f"holdsFor({fvp},[({start},{end})])."


def _goals(body: Term) -> list[Term]:
    goals = []
    while isinstance(body, Struct) and body.name == "," and len(body.args) == 2:
        goals.append(body.args[0])
        body = body.args[1]
    return [*goals, body]


def _ended(text: str) -> str:
    return f"{text} ." if _is_symbol(text[-1]) else f"{text}."


def _atom(name: str) -> str:
    if name in _SOLO or (_WORD.match(name) and not name[0].isupper()) or _SYMBOL.match(name):
        return name if name != "." and not name.startswith("/*") else f"'{name}'"
    return "'" + _escape(name, "'") + "'"


def _functor(name: str) -> str:
    return f"'{name}'" if name in ("[]", "{}") else _atom(name)


def _escape(text: str, quote: str) -> str:
    return "".join(
        _ESCAPES.get(c) or (f"\\{c}" if c == quote else c if _plain(c) else f"\\x{ord(c):x}\\") for c in text
    )


def _plain(character: str) -> bool:
    return character == " " or character.isprintable()


def _float(value: float) -> str:
    if math.isinf(value):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    if math.isnan(value):
        return "1.5NaN"
    text = repr(value)
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


class _Writer:
    """Writes terms; long lists and operator chains are loops, only brackets recurse."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators

    def write(self, term: Term, max_priority: int) -> str:
        if isinstance(term, Var):
            return "_" if term.is_anonymous else term.name
        if not isinstance(term, Struct):
            return self.operand(term)
        if term.name == "[|]" and len(term.args) == 2:
            return self.list(term)
        if term.name == "{}" and len(term.args) == 1:
            return "{" + self.write(term.args[0], 1200) + "}"
        if len(term.args) == 2 and term.name in self.operators.infix and term.name != "|":
            return self.infix(term, max_priority)
        if len(term.args) == 1 and term.name in self.operators.prefix:
            return self.prefix(term, max_priority)
        return self.compound(term)

    def operand(self, term: Atom | Int | Float | Str) -> str:
        text = show_constant(term)
        return f"({text})" if isinstance(term, Atom) and self.operators.is_operator(term.name) else text

    def compound(self, term: Struct) -> str:
        return f"{_functor(term.name)}({','.join(self.argument(arg) for arg in term.args)})"

    def argument(self, term: Term) -> str:
        if isinstance(term, Atom):
            return show_constant(term)
        return self.write(term, 999)

    def list(self, term: Struct) -> str:
        items, tail = list_items(term)
        inner = ",".join(self.argument(item) for item in items)
        return f"[{inner}]" if tail == Atom("[]") else f"[{inner}|{self.argument(tail)}]"

    def infix(self, term: Struct, max_priority: int) -> str:
        operator = self.operators.infix[term.name]
        if operator.priority > max_priority:
            return "(" + self.infix(term, 1200) + ")"
        if operator.type == "xfx":
            parts = [self.write(term.args[0], operator.left_max), self.write(term.args[1], operator.right_max)]
            return _join(parts, [term.name])
        is_left = operator.type == "yfx"
        inner, outer = (0, 1) if is_left else (1, 0)
        parts, names = list[str](), list[str]()
        here: Term = term
        while isinstance(here, Struct) and self.continues(here, operator):
            parts.append(self.write(here.args[outer], operator.right_max if is_left else operator.left_max))
            names.append(here.name)
            here = here.args[inner]
        parts.append(self.write(here, operator.left_max if is_left else operator.right_max))
        return _join(parts[::-1], names[::-1]) if is_left else _join(parts, names)

    def continues(self, term: Struct, operator: Infix) -> bool:
        """Whether a term continues the chain of an operator: its operator is the same or has equal priority and
        type.
        """
        return len(term.args) == 2 and self.operators.infix.get(term.name) == operator

    def prefix(self, term: Struct, max_priority: int) -> str:
        operator = self.operators.prefix[term.name]
        argument = term.args[0]
        if isinstance(argument, Int | Float) or (
            isinstance(argument, Atom) and self.operators.is_operator(argument.name)
        ):
            return self.compound(term)
        if operator.priority > max_priority:
            return "(" + self.prefix(term, 1200) + ")"
        inner = self.write(argument, operator.right_max)
        is_apart = inner[0] == "(" or inner[0].isdigit() or _clash(term.name, inner)
        return f"{_atom(term.name)} {inner}" if is_apart else f"{_atom(term.name)}{inner}"


def _join(parts: list[str], names: list[str]) -> str:
    """Operands with the operators between them, and spaces where two tokens would read as one."""
    text = parts[0]
    for name, part in zip(names, parts[1:], strict=True):
        if name == ",":
            text += f",{part}"
        elif name[0].isalpha() or name in (":-", "-->", "->", "*->", ":="):
            text += f" {_atom(name)} {part}"
        else:
            before = " " if _clash(text, name) else ""
            after = " " if _clash(name, part) else ""
            text += f"{before}{_atom(name)}{after}{part}"
    return text


def _clash(left: str, right: str) -> bool:
    """Whether two texts side by side would read as one token."""
    a, b = left[-1], right[0]
    return (_is_symbol(a) and _is_symbol(b)) or (_is_word(a) and _is_word(b)) or (b == "(" and _is_word(a))


def _is_symbol(character: str) -> bool:
    return character in "-+*/\\^<>=~:.?@#&$"


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()
