"""Random records: late, repeated, retracted, in part or whole, and inserted again, in any order of lines."""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle.bodies import Words

__all__ = ["FIELDS", "records"]

FIELDS = {
    "a": "a",
    "b": "b",
    "c": "c",
    "'X y'": "X y",
    '"Payment"': "Payment",
    "'Payment'": "Payment",
    "'003'": "003",
    "3": "3",
    "2.5": "2.5",
    "'it''s'": "it's",
    "'ü'": "ü",
}
"""Constants as rules write them, with the field that says the same."""


class _Stream:
    def __init__(self, words: Words, start: int, end: int) -> None:
        self.words, self.random = words, words.random
        tick = words.tick
        self.start, self.end = -(-start // tick) * tick, end // tick * tick
        self.is_quiet_at_the_end = not words.use("records at the end of the run", 0.2)

    def time(self) -> int:
        tick = self.words.tick
        stop = self.end - 2 * tick if self.is_quiet_at_the_end else self.end
        if self.words.use("record at the start of the run", 0.1):
            return self.start
        return self.random.randrange(self.start, stop + 1, tick)

    def field(self) -> str:
        return FIELDS[self.words.constant()]

    def odd_values(self) -> list[str]:
        """Values without a result in some conditions."""
        return ["0", "2.5", "n/a", "a"] if self.words.use("value without a result", 0.4) else []

    def one(self) -> tuple[int, str, str]:
        """The time, the name and the fields after the arrival."""
        r, tick = self.random, self.words.tick
        t, x = self.time(), self.field()
        longest = max(1, (self.end - 2 * tick - t) // tick) if self.is_quiet_at_the_end else 9
        stop = t + min(r.choice([1, 2, 3, 5, 9]), longest) * tick
        match r.choice(["e1", "e1", "e2", "n1", "odd", "jf", "jf", "pf", "pf", "m"]):
            case "e1":
                return t, "e1", f"{t}|{x}"
            case "e2":
                return t, "e2", f"{t}|{x}|{self.field()}"
            case "n1":
                return t, "n1", f"{t}|{x}|{r.choice(['1', '2', '3', '-4', *self.odd_values()])}"
            case "odd":
                return t, "Odd e", f"{t}|{x}"
            case "jf":
                return t, "jf", f"{t}|{stop}|{r.choice(['true', 'true', 'off'])}|{x}"
            case "pf":
                return t, "pf", f"{t}|{r.choice(['true', 'true', '2'])}|{x}"
            case _:
                return t, r.choice(["m0", "m1", "m2"]), f"{t}|{stop}|given|{x}"

    def lines(self, declared: str) -> Iterator[str]:
        r, words = self.random, self.words
        for _ in range(r.choice([4, 12, 25])):
            t, name, rest = self.one()
            if name.startswith("m") and f"collectIntervals({name}(_)=given)" not in declared:
                continue
            arrival = self._arrival(t, is_interval=name[0] in "jm")
            yield f"{name}|{arrival}|{rest}"
            may_retract = not words.used["dynamic domain"] or words.use("retraction beside a dynamic domain", 0.5)
            if may_retract and words.use("retraction", 0.1):
                yield f"-{name}|{arrival + r.choice([0, 1, 3]) * words.tick}|{rest}"
                if words.use("record inserted again", 0.4):
                    yield f"{name}|{arrival + 5 * words.tick}|{rest}"
            elif may_retract and name == "jf" and words.chance(0.15):
                yield from self._part(arrival, rest)

    def _arrival(self, t: int, *, is_interval: bool) -> int:
        words = self.words
        if words.use("record that arrives after the run", 0.15):
            return self.end + 30 * words.tick
        kind = "late interval" if is_interval else "late record"
        return min(t + words.random.choice([1, 4, 9]) * words.tick, self.end) if words.use(kind, 0.4) else t

    def _part(self, arrival: int, rest: str) -> Iterator[str]:
        """A retraction of a part of an interval: inside, at its start, or at its end."""
        tick = self.words.tick
        start, end, value, who = rest.split("|")
        is_inside = int(end) - int(start) >= 3 * tick and int(start) + tick <= self.end
        if is_inside and self.words.use("partial retraction"):
            left, right = self.words.random.choice([(tick, tick), (0, tick), (tick, 0)])
            yield f"-jf|{arrival + tick}|{int(start) + left}|{int(end) - right}|{value}|{who}"


def records(words: Words, start: int, end: int, declared: str = "") -> list[str]:
    """Lines of text in any order; they take effect in order of arrival."""
    lines = list(_Stream(words, start, end).lines(declared))
    if words.use("lines in any order", 0.3):
        keyed = [(int(line.split("|")[1]), words.random.random(), line) for line in lines]
        ties = {arrival for arrival, _, _ in keyed if sum(other[0] == arrival for other in keyed) > 1}
        if not ties:
            return [line for _, _, line in sorted(keyed, key=lambda one: one[1])]
    return lines + lines[:1]
