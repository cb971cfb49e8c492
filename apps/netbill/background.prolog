% Durations in time-points.
lasts(quote, 8).
lasts(expiry, 4).
lasts(restraint, 5).
lasts(contract, 12).
lasts(suspension, 6).

validity(true).
validity(expiring).
validity(false).

truth(true).
truth(false).
