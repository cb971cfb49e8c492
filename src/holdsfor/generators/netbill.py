"""NetBill: consumers that buy digital goods from merchants.

In one period of ten time-points a consumer begins eight deals: most have a request, all have a quote, some quotes are
presented twice, two in three are accepted, in time or too late, and few contracts are broken. That makes three records
per consumer and time-point, one and a half per agent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.generators.coded_records import CodedRecords, RecordMaker, Times, Vocabulary

__all__ = ["NetBill"]

_NAMES = ["request_quote", "present_quote", "accept_quote", "send_goods", "send_epo"]
_DEALS, _GOODS, _PRICES = 8, 3, 100
_KNOWN_MERCHANTS = 18


class NetBill:
    """Half of the agents (rounded down) are merchants `m0`, `m1`, …, the others are consumers `c0`, `c1`, …"""

    tick = 1
    period = 10
    rows_per_unit = 30

    def __init__(self, entities: int, seed: int) -> None:
        if entities < 2:
            message = f"expected at least a merchant and a consumer, found {entities} agent"
            raise UsageProblem(Diagnostic("HF710", message, hint="half of `--entities` are merchants"))
        self.n_merchants = entities // 2
        self.n_units = entities - self.n_merchants
        agents = [f"m{i}" for i in range(self.n_merchants)] + [f"c{i}" for i in range(self.n_units)]
        goods = [f"goods{i}" for i in range(_GOODS)]
        prices = [str(price + 1) for price in range(_PRICES)]
        self.vocabulary = Vocabulary(names=_NAMES, values=[], args=(agents, agents, goods, prices))

    def background(self) -> None:
        return None

    def cell(self, cycle: int, units: NDArray[np.int64], begin: Times, seed: list[int]) -> CodedRecords:
        rng = np.random.default_rng(seed)
        unit = np.repeat(units, _DEALS)
        n = len(unit)
        merchant = (unit + rng.integers(0, _KNOWN_MERCHANTS, n)) % self.n_merchants
        seller, buyer = merchant.astype(np.int32), (self.n_merchants + unit).astype(np.int32)
        goods = rng.integers(0, _GOODS, n, np.int32)
        asked, repeated, accepted = (rng.random(n) < share for share in (0.9, 0.1, 0.64))
        delivers, pays = (accepted & (rng.random(n) < 0.97) for _ in range(2))

        request = np.repeat(begin, _DEALS) + rng.integers(0, self.period, n)
        present = request + 1
        accept = present + rng.integers(1, 14, n)
        maker = RecordMaker(self.vocabulary)
        maker.add("request_quote", request, buyer, seller, goods, where=asked)
        maker.add("present_quote", present, seller, buyer, goods, rng.integers(0, _PRICES, n, np.int32))
        again = present + rng.integers(4, 13, n)
        maker.add("present_quote", again, seller, buyer, goods, rng.integers(0, _PRICES, n, np.int32), where=repeated)
        maker.add("accept_quote", accept, buyer, seller, goods, where=accepted)
        maker.add("send_goods", accept + rng.integers(1, 13, n), seller, buyer, goods, where=delivers)
        maker.add("send_epo", accept + rng.integers(1, 13, n), buyer, seller, goods, where=pays)
        return maker.rows()
