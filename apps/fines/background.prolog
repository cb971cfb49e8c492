% Time limits in days, from the Italian road traffic law at the time of the recorded fines.
time_limit(notification, 150).
time_limit(payment, 60).
time_limit(forwarding, 60).
time_limit(decision, 120).
time_limit(claim, 1825).

claim(open).
claim(settled).
claim(dismissed).
claim(collected).
claim(lapsed).

term(running).
term(expired).

stage(filed).
stage(forwarded).
stage(in_court).
stage(granted).
stage(rejected).

duty(notification).
duty(forwarding).

act(penalty).
act(collection).
