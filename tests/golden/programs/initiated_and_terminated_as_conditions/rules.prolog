% tried: there is an initiation of on, whether or not it takes effect: at 3 (takes effect), 5 (already on), 8 (broken at the
% same time-point). stopped: on=true is broken: at 8 and at 12 by terminations, also where nothing ends (12).
% left: at(X)=home is broken at 6 by another value. Not broken at 4 by itself.
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
initiatedAt(at(X)=P, T) :- happensAt(go_to(X, P), T).
happensAt(tried(X), T) :- initiatedAt(on(X)=true, T).
happensAt(stopped(X), T) :- terminatedAt(on(X)=true, T).
happensAt(left(X), T) :- happensAt(go_to(X, _), T), terminatedAt(at(X)=home, T).
happensAt(calm(X), T) :- happensAt(look(X), T), not initiatedAt(on(X)=true, T), not terminatedAt(on(X)=true, T).
% calm: looks at 3 (initiated), 8 and 12 (broken) and 20 (neither): 20.
