% initiates(E, F=V, T), terminates(E, F=V, T), four arguments and not/1 say the same as the newer forms.
% old: on at 3, off at 8: [4,9). four: armed when on is initiated at 3: [4,...), broken at 8 where on is: [4,9).
% seen: at 3, by initiates as a condition (the event happens and initiates). quiet: at 5 only, not at 3.
initiates(switch_on(X), on(X)=true, T).
terminates(switch_off(X), on(X)=true, T) :- not(broken(X)).
initiatedAt(armed(X)=true, T1, T, T2) :- initiatedAt(on(X)=true, T1, T, T2).
terminatedAt(armed(X)=true, T1, T, T2) :- happensAt(tick(X), T), terminatedAt(on(X)=true, T1, T, T2).
happensAt(seen(X), T) :- initiates(switch_on(X), on(X)=true, T).
happensAt(quiet(X), T) :- happensAt(tick(X), T), not happensAt(switch_on(X), T), not holdsAt(cold(X)=true, T), T < 8.
collectIntervals(cold(_)=true).
broken(radio).
