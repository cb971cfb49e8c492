% a: initiated and terminated at 5: the break wins, nothing starts.
% b: initiated at 10; initiated and terminated at 15: the running interval ends there and nothing starts: [11,16).
% c: initiated at 10, terminated and initiated again at 15, initiated at 16: [11,16) and [17,inf).
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
