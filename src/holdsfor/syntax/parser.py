"""Tokens to terms and clauses: an operator-precedence parser.

Operators are combined with an explicit stack, so a conjunction of ten thousand goals costs no depth; only brackets
recurse, down to `MAX_NESTING`. A term may be `MAX_DEPTH` deep, not counting the length of lists and of chains of one
operator, so that functions on terms may recurse. A clause with an error is reported and skipped; parsing continues
after its full stop.
"""

from __future__ import annotations

from holdsfor.errors import Diagnostic, Diagnostics, SyntaxProblem
from holdsfor.syntax.facts import read_fact_run, read_input_facts
from holdsfor.syntax.operators import Infix, Operators, Prefix, declare_operators
from holdsfor.syntax.other_languages import hint_for_token
from holdsfor.syntax.program import Clause, Directive, FactTable, InputFactTable, Program
from holdsfor.syntax.source import Source, Span
from holdsfor.syntax.terms import (
    EMPTY_LIST,
    Atom,
    Float,
    Int,
    Str,
    Struct,
    Term,
    Var,
    is_callable,
    list_term,
)
from holdsfor.syntax.tokens import (
    MAX_DIGITS,
    LexicalProblem,
    Token,
    check_characters,
    next_clause_end,
    skip_layout,
    tokens_of_clause,
)

__all__ = ["MAX_NESTING", "parse_program", "parse_term"]

MAX_NESTING = 150
MAX_DEPTH = 200
_CLOSING = frozenset(")]},|")


class _ClauseProblem(Exception):
    """The current clause cannot be parsed; carries the diagnostic."""

    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, hint)


def parse_program(source: Source, diagnostics: Diagnostics) -> Program:
    """The clauses of a text. Errors are added to the diagnostics; clauses without errors are still returned."""
    operators = Operators()
    items: list[Clause | Directive | FactTable | InputFactTable] = []
    at = facts_from = 0
    try:
        check_characters(source)
    except LexicalProblem as problem:
        diagnostics.append(problem.diagnostic)
        return Program(source, ())
    while True:
        try:
            at = skip_layout(source, at)
            if at >= len(source.text):
                return Program(source, tuple(items))
            if at >= facts_from:
                tables, facts_from = read_fact_run(source, at)
                if tables:
                    items += tables
                    at = facts_from
                    continue
            run = read_input_facts(source, at)
            if run is not None:
                items.append(run[0])
                at = run[1]
                continue
            tokens = tokens_of_clause(source, at)
        except LexicalProblem as problem:
            diagnostics.append(problem.diagnostic)
            is_comment = problem.diagnostic.code == "HF103"
            at = len(source.text) if is_comment else next_clause_end(source, problem.end)
            continue
        at = tokens[-1].end
        try:
            item = _clause(_Reader(source, tokens, operators))
        except _ClauseProblem as problem:
            diagnostics.append(problem.diagnostic)
            continue
        if isinstance(item, Directive):
            declare_operators(item.goal, operators)
        items.append(item)


def parse_term(text: str, name: str = "term", *, has_strings: bool = False, operators: Operators | None = None) -> Term:
    """The term that a text consists of; the final full stop is optional.

    Double-quoted text is an atom, or a string if `has_strings` is set. The `operators` are those of rules by default.

    >>> parse_term("happy(chris)=true")
    Struct(happy(chris)=true)
    """
    source = Source(name, text)
    try:
        check_characters(source)
        tokens = tokens_of_clause(source, 0)
        if not tokens:
            raise _ClauseProblem("HF106", "expected a term, found nothing", Span(source, 0, len(text)))
        reader = _Reader(source, tokens, operators or Operators(), has_strings=has_strings)
        term = reader.expression(1200)
        reader.expect_end(optional=True)
        rest = skip_layout(source, tokens[-1].end)
        if rest < len(text):
            raise _ClauseProblem("HF106", "expected one term, found more after it", Span(source, rest, len(text)))
    except (LexicalProblem, _ClauseProblem) as problem:
        raise SyntaxProblem(problem.diagnostic) from None
    return term


def _clause(reader: _Reader) -> Clause | Directive:
    term = reader.expression(1200)
    reader.expect_end()
    span = term.span
    assert span is not None
    if isinstance(term, Struct) and term.name == ":-" and len(term.args) == 1:
        return Directive(term.args[0], span)
    if isinstance(term, Struct) and term.name == "-->":
        raise _ClauseProblem("HF109", "grammar rules (`-->`) are not part of the language", span, "write clauses")
    head, body = term, None
    if isinstance(term, Struct) and term.name == ":-" and len(term.args) == 2:
        head, body = term.args
    if not is_callable(head) or head == EMPTY_LIST:
        assert head.span is not None
        raise _ClauseProblem(
            "HF108", f"expected a name as the head of a clause, found `{head.span.text}`", head.span, _head_hint(head)
        )
    return Clause(head, body, span)


def _head_hint(head: Term) -> str:
    if isinstance(head, Var):
        return "names begin with a lower-case letter, variables with an upper-case one"
    return "a clause begins with a name, such as `initiatedAt(...)`"


class _Reader:
    """A cursor over the tokens of one clause."""

    def __init__(self, source: Source, tokens: list[Token], operators: Operators, *, has_strings: bool = False) -> None:
        self.has_strings = has_strings
        self.source = source
        self.tokens = tokens
        self.operators = operators
        self.at = 0
        self.depth = 0
        self.n_anonymous = 0
        self.height = 0  # depth of the last term that was read

    # -- cursor ------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else None

    def span(self, token: Token) -> Span:
        return Span(self.source, token.start, token.end)

    def is_punct(self, text: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and token.kind == "punct" and token.text == text

    def opens_arguments(self, ahead: int) -> bool:
        """Whether the token ahead is a bracket that directly follows a name."""
        token = self.peek(ahead)
        return token is not None and token.text == "(" and token.kind == "punct" and not token.follows_layout

    def expect_punct(self, text: str, opened: Token) -> Token:
        token = self.peek()
        if token is not None and token.kind == "punct" and token.text == text:
            self.at += 1
            return token
        if token is None or token.kind == "end":
            raise _ClauseProblem(
                "HF107",
                f"bracket is not closed: expected `{text}`, found {_found(token)}",
                self.span(opened),
                f"add the missing `{text}`",
            )
        line = self.span(opened).line
        raise self.unexpected(token, f"expected `{text}` to close the `{opened.text}` of line {line}, or an operator")

    def expect_end(self, *, optional: bool = False) -> None:
        token = self.peek()
        if token is None:
            if optional:
                return
            last = self.tokens[-1]
            raise _ClauseProblem(
                "HF110", "clause has no end: expected `.`, found the end of the text", self.span(last), "add a `.`"
            )
        if token.kind != "end":
            raise self.unexpected(token, "expected an operator or `.`")

    def unexpected(self, token: Token, expected: str) -> _ClauseProblem:
        span = self.span(token)
        hint = hint_for_token(self.tokens, self.tokens.index(token))
        if hint is not None:
            return _ClauseProblem("HF106", f"{expected}, found {_found(token)}", span, hint)
        if token.start and self.source.text[token.start - 1] == "\n" and self.at:
            hint = "is the `.` at the end of the previous clause missing?"
        elif token.text == "|" and token.kind == "punct":
            hint = "a `|` separates the head of a list from its tail: `[H|T]`"
        elif self.at and self.tokens[self.at - 1].kind == "var" and token.text == "(":
            hint = "a variable cannot be a name: names begin with a lower-case letter or are quoted"
        elif token.kind != "punct" or token.text in "([{":
            hint = "is a `,` missing before it?"
        return _ClauseProblem("HF106", f"{expected}, found {_found(token)}", span, hint)

    # -- expressions -------------------------------------------------------------------------------------------------

    def expression(self, max_priority: int, *, argument: bool = False) -> Term:
        """A term made of operands and operators. As an argument it ends at a comma."""
        stack = _OperatorStack(self)
        while True:
            prefix = self.prefix_operator()
            if prefix is not None:
                stack.push_prefix(prefix, self.operators.prefix[prefix.text])
                continue
            first = self.at
            term = self.with_postfix(self.primary())
            stack.operands.append((term, self.tokens[first].start, self.tokens[self.at - 1].end, self.height))
            token = self.peek()
            infix = self.infix_operator(token, argument=argument)
            if token is None or infix is None or infix.priority > max_priority:
                term, self.height = stack.finish()
                return term
            self.at += 1
            stack.push_infix(token, infix)

    def with_postfix(self, term: Term) -> Term:
        """The operand with the postfix operators after it."""
        while (token := self.peek()) is not None and token.kind == "atom" and token.text in self.operators.postfix:
            self.at += 1
            assert term.span is not None
            term = Struct(token.text, (term,), term.span.to(self.span(token)))
            self.height += 1
        return term

    def infix_operator(self, token: Token | None, *, argument: bool) -> Infix | None:
        if token is None:
            return None
        if token.kind == "atom" or (token.kind == "punct" and token.text in ",|" and not argument):
            return self.operators.infix.get(token.text)
        return None

    def prefix_operator(self) -> Token | None:
        """The next token, consumed, if it is a prefix operator and not a name."""
        token = self.peek()
        if token is None or token.kind != "atom" or token.text not in self.operators.prefix:
            return None
        following = self.peek(1)
        if following is None or following.kind == "end" or self.opens_arguments(1):
            return None
        if following.kind == "punct" and following.text in _CLOSING:
            return None
        if token.text in "+-" and following.kind in ("int", "float") and not following.follows_layout:
            return None if token.text == "-" else self.consume(token)
        if following.kind == "atom" and following.text in self.operators.infix and not self.starts_operand(1):
            return None
        return self.consume(token)

    def consume(self, token: Token) -> Token:
        self.at += 1
        return token

    def starts_operand(self, ahead: int) -> bool:
        """Whether an infix operator ahead is better read as a name or as a prefix operator."""
        token = self.peek(ahead)
        assert token is not None
        if self.opens_arguments(ahead + 1):
            return True
        following = self.peek(ahead + 1)
        ends = (
            following is None or following.kind == "end" or (following.kind == "punct" and following.text in _CLOSING)
        )
        return ends or token.text in self.operators.prefix

    # -- operands ----------------------------------------------------------------------------------------------------

    def primary(self) -> Term:
        token = self.peek()
        if token is None or token.kind == "end":
            before = self.tokens[self.at - 1] if self.at else None
            place = self.span(before or token or self.tokens[-1])
            hint = f"remove the `{before.text}`, or add the missing operand" if before else None
            raise _ClauseProblem("HF106", f"expected a term, found {_found(token)}", place, hint)
        self.at += 1
        self.height = 0
        span = self.span(token)
        match token.kind:
            case "atom" | "quoted":
                return self.name(token)
            case "var":
                return self.variable(token)
            case "int" | "float":
                return self.number(token, span)
            case "string":
                return Str(token.text, span) if self.has_strings else Atom(token.text, span)
            case _:
                return self.bracketed(token)

    def name(self, token: Token) -> Term:
        if token.kind == "atom" and token.text == "-":
            following = self.peek()
            if following is not None and following.kind in ("int", "float") and not following.follows_layout:
                self.at += 1
                return self.number(following, self.span(token).to(self.span(following)), negative=True)
        if self.opens_arguments(0):
            opened = self.tokens[self.at]
            self.at += 1
            args = self.arguments(opened, ")")
            closed = self.expect_punct(")", opened)
            return Struct(token.text, tuple(args), Span(self.source, token.start, closed.end))
        return Atom(token.text, self.span(token))

    def variable(self, token: Token) -> Term:
        name = token.text
        if name == "_":
            self.n_anonymous += 1
            name = f"_#{self.n_anonymous}"
        if self.opens_arguments(0):
            raise self.unexpected(self.tokens[self.at], "expected an operator")
        return Var(name, self.span(token))

    def number(self, token: Token, span: Span, *, negative: bool = False) -> Term:
        text = "-" + token.text if negative else token.text
        if token.kind == "int":
            if len(text) > MAX_DIGITS:
                raise _ClauseProblem("HF111", f"number has more than {MAX_DIGITS} digits", span)
            return Int(int(text), span)
        if text.endswith(("Inf", "NaN")):
            return Float(float(text[:1] * negative + text[-3:].lower()), span)
        return Float(float(text), span)

    def arguments(self, opened: Token, closing: str) -> list[Term]:
        self.enter(opened)
        items = [self.expression(1200, argument=True)]
        height = self.height
        while self.is_punct(","):
            self.at += 1
            items.append(self.expression(1200, argument=True))
            height = max(height, self.height)
        self.depth -= 1
        self.height = height + 1
        return items

    def enter(self, opened: Token) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise _ClauseProblem(
                "HF112",
                f"brackets are nested deeper than {MAX_NESTING} levels",
                self.span(opened),
                "name the inner parts",
            )

    def bracketed(self, opened: Token) -> Term:
        if opened.text == "(":
            self.enter(opened)
            term = self.expression(1200)
            self.depth -= 1
            closed = self.expect_punct(")", opened)
            if isinstance(term, Struct):
                return Struct(term.name, term.args, Span(self.source, opened.start, closed.end))
            return term
        if opened.text == "[":
            return self.list(opened)
        if opened.text == "{":
            return self.curly(opened)
        self.at -= 1
        raise self.unexpected(opened, "expected a term")

    def list(self, opened: Token) -> Term:
        if self.is_punct("]"):
            closed = self.tokens[self.at]
            self.at += 1
            return Atom("[]", Span(self.source, opened.start, closed.end))
        items = self.arguments(opened, "]")
        tail: Term = EMPTY_LIST
        if self.is_punct("|"):
            self.at += 1
            height = self.height
            self.enter(opened)
            tail = self.expression(1200, argument=True)
            self.depth -= 1
            self.height = max(height, self.height + 1)
        closed = self.expect_punct("]", opened)
        term = list_term(items, tail)
        assert isinstance(term, Struct)
        return Struct(term.name, term.args, Span(self.source, opened.start, closed.end))

    def curly(self, opened: Token) -> Term:
        if self.is_punct("}"):
            closed = self.tokens[self.at]
            self.at += 1
            return Atom("{}", Span(self.source, opened.start, closed.end))
        self.enter(opened)
        inner = self.expression(1200)
        self.depth -= 1
        closed = self.expect_punct("}", opened)
        return Struct("{}", (inner,), Span(self.source, opened.start, closed.end))


class _OperatorStack:
    """Operands, and the operators whose right operand is still to be read."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.source = reader.source
        self.operands: list[tuple[Term, int, int, int]] = []  # with begin and end, brackets included, and depth
        self.waiting: list[tuple[Token, int, int, int]] = []  # token, arity, priority, highest priority on the right

    def push_prefix(self, token: Token, operator: Prefix) -> None:
        allowed = self.waiting[-1][3] if self.waiting else 1200
        priority = min(operator.priority, allowed)
        self.waiting.append((token, 1, priority, min(operator.right_max, priority)))

    def push_infix(self, token: Token, operator: Infix) -> None:
        while self.waiting and self.waiting[-1][2] <= operator.left_max:
            self.reduce()
        if self.waiting and operator.priority > self.waiting[-1][3]:
            raise _ClauseProblem(
                "HF113",
                f"operators `{self.waiting[-1][0].text}` and `{token.text}` cannot stand side by side",
                Span(self.source, token.start, token.end),
                "bracket the inner one",
            )
        self.waiting.append((token, 2, operator.priority, operator.right_max))

    def reduce(self) -> None:
        token, arity, _, _ = self.waiting.pop()
        operands = self.operands[-arity:]
        del self.operands[-arity:]
        name = ";" if token.text == "|" else token.text
        begin = min(token.start, operands[0][1])
        end = operands[-1][2]
        args = tuple(operand[0] for operand in operands)
        height = max(self.height(operand, name, arity) for operand in operands)
        if height > MAX_DEPTH:
            span = Span(self.source, token.start, token.end)
            raise _ClauseProblem("HF112", f"the term is deeper than {MAX_DEPTH} levels", span, "name the inner parts")
        self.operands.append((Struct(name, args, Span(self.source, begin, end)), begin, end, height))

    def height(self, operand: tuple[Term, int, int, int], name: str, arity: int) -> int:
        """The depth that an operand adds; the rest of a chain of one binary operator adds nothing."""
        term = operand[0]
        is_chain = arity == 2 and isinstance(term, Struct) and term.name == name and len(term.args) == 2
        return operand[3] if is_chain else operand[3] + 1

    def finish(self) -> tuple[Term, int]:
        while self.waiting:
            self.reduce()
        return self.operands[0][0], self.operands[0][3]


def _found(token: Token | None) -> str:
    if token is None:
        return "the end of the text"
    if token.kind == "end":
        return "the end of the clause"
    shown = token.text if len(token.text) <= 40 else token.text[:40] + "…"
    return {"string": f'`"{shown}"`', "quoted": f"`'{shown}'`"}.get(token.kind, f"`{shown}`")
