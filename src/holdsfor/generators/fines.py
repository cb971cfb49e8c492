"""Traffic fines: each is issued once, in the first two years, and has records until the end of the stream.

The courses of fines have the shares and the delays of the recorded data: a third is paid before it is sent, one in five
is sent and has no later record, and most of the notified ones go to collection after years. As in the data, the penalty
follows sixty days after the notification, even if there was a payment or an appeal, so that some penalties are
unlawful. Times are days, amounts cents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import CodedRecords, Codes, RecordMaker, Times, Vocabulary

__all__ = ["Fines"]

_NAMES = ["create_fine", "send_fine", "notify_fine", "add_penalty", "payment", "appeal_to_prefecture", "send_appeal"]
_NAMES += ["receive_result", "appeal_to_judge", "send_for_collection"]
_PRICES, _SHARE_OF_SMALL = (2200, 3600), 0.1
_PENALISED, _EXPENSE = (4400, 7400), 1300
_AMOUNTS = sorted({_EXPENSE, *_PRICES, *_PENALISED, *(a + _EXPENSE for a in (*_PRICES, *_PENALISED))})
_COURSES = {
    "paid at once": 0.345,
    "never notified": 0.19,
    "collected": 0.335,
    "paid late": 0.075,
    "paid short, then in full": 0.025,
    "paid in time": 0.007,
    "appeal without result": 0.015,
    "appeal rejected": 0.006,
    "appeal to judge": 0.002,
}


class Fines:
    """The fines `f0` to `f<entities - 1>`."""

    tick = 1
    period = 730
    rows_per_unit = 4

    def __init__(self, entities: int, seed: int) -> None:
        self.n_units = entities
        ids = [f"f{i}" for i in range(entities)]
        self.vocabulary = Vocabulary(names=_NAMES, values=[], args=(ids, [str(amount) for amount in _AMOUNTS]))

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        maker = RecordMaker(self.vocabulary)
        if cycle == 0:
            _histories(maker, units.astype(np.int32), begin, np.random.default_rng(seed))
        return maker.rows()


def _histories(maker: RecordMaker, fine: Codes, issued: Times, rng: np.random.Generator) -> None:
    """The whole histories of the fines."""
    n = len(fine)
    drawn = rng.choice(len(_COURSES), n, p=np.array(list(_COURSES.values())) / sum(_COURSES.values()))

    def takes(*courses: str) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = np.isin(drawn, [list(_COURSES).index(course) for course in courses])
        return chosen

    def after(times: Times, shortest: int, mean: float) -> Times:
        return times + shortest + np.rint(rng.exponential(mean, n)).astype(np.int64)

    is_small = rng.random(n) < _SHARE_OF_SMALL
    price, penalised = (np.where(is_small, *pair) for pair in (_PRICES, _PENALISED))
    sent = after(issued, 30, 70)
    notified = after(sent, 2, 13)
    penalty = notified + 60
    paid = np.where(takes("paid at once"), np.minimum(after(issued, 0, 8), sent - 1), after(penalty, 0, 200))
    paid = np.where(takes("paid in time"), notified + rng.integers(1, 60, n), paid)
    appealed = notified + rng.integers(1, 75, n)
    forwarded = after(appealed, 7, 40)
    decided = after(forwarded, 20, 50)

    is_sent = ~takes("paid at once")
    is_notified = is_sent & ~takes("never notified")
    before_penalty = takes("paid at once") * price + takes("paid in time", "paid short, then in full") * (
        price + _EXPENSE
    )
    total = np.where(before_penalty > 0, before_penalty, penalised + _EXPENSE)
    maker.add("create_fine", issued, fine, _code(price))
    maker.add("send_fine", sent, fine, _code(np.full(n, _EXPENSE)), where=is_sent)
    maker.add("notify_fine", notified, fine, where=is_notified)
    maker.add("add_penalty", penalty, fine, _code(penalised), where=is_notified)
    pays = takes("paid at once", "paid late", "paid short, then in full", "paid in time", "appeal rejected")
    paid = np.where(takes("appeal rejected"), after(decided, 0, 30), paid)
    maker.add("payment", paid, fine, _code(total), where=pays)
    rest = after(paid, 1, 60)
    maker.add("payment", rest, fine, _code(penalised + _EXPENSE), where=takes("paid short, then in full"))
    maker.add("appeal_to_prefecture", appealed, fine, where=takes("appeal without result", "appeal rejected"))
    maker.add("send_appeal", forwarded, fine, where=takes("appeal without result", "appeal rejected"))
    maker.add("receive_result", decided, fine, where=takes("appeal rejected"))
    maker.add("appeal_to_judge", appealed, fine, where=takes("appeal to judge"))
    maker.add("send_for_collection", after(penalty, 261, 250), fine, where=takes("collected", "appeal to judge"))


def _code(amounts: NDArray[np.int64]) -> Codes:
    return np.searchsorted(_AMOUNTS, amounts).astype(np.int32)
