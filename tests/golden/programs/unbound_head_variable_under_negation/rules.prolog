% W is not bound by the body: it ranges over the grounding, and the negation is tested for each. ann has a key ([3,inf)),
% bob has none: at 5 only bob is locked out: [6,inf). At 9 bob has had a key since 8: the rule finds neither of them.
initiatedAt(key(X)=true, T) :- happensAt(gets_key(X), T).
initiatedAt(locked_out(W)=true, T) :- happensAt(lock, T), not holdsAt(key(W)=true, T).
terminatedAt(locked_out(W)=true, T) :- happensAt(unlock, T), holdsAt(key(W)=true, T).
grounding(key(X)=true) :- person(X).
grounding(locked_out(X)=true) :- person(X).
person(ann).
person(bob).
% Unlocked at 12 for all with a key, so for bob: [6,13).
