"""Double-quoted text is the quoted atom: in rules, groundings, background, goals and records."""

from __future__ import annotations

from tests.unit.runtime.cases import Example

RULES = """
initiatedAt(f(X)="Big one", T) :- happensAt(pay(X, "Payment"), T), kind(X, "Payment"), amount("Payment", N), N > 2.
grounding(f(X)='Big one') :- kind(X, _).
kind(a, 'Payment').
kind(b, "Payment").
amount('Payment', 3).
holdsFor(g(X)="x", I) :- holdsFor(f(X)='Big one', I), atom_length("abc", 3), atom_concat("a", b, "ab"), "a" = a.
"""


def test_both_spellings_are_one_constant() -> None:
    example = Example(RULES, ("pay|1|a|Payment", 'pay|3|b|"Payment"'))
    example.check(5)
    assert example.batch() == {
        "f(a)='Big one'": [(2, None)],
        "f(b)='Big one'": [(4, None)],
        "g(a)=x": [(2, None)],
        "g(b)=x": [(4, None)],
    }
