% alarm: smoke and heat at once: at 5 in k (at 8 there is only smoke, in h only heat). Of events: evacuate at each alarm
% outside a drill: the drill holds on [4,7), so not at 5, but at 9.
% report differs in a constant: low at 5 and 9 (heat 60, 70), high at 9 (heat above 65).
happensAt(alarm(X), T) :- happensAt(smoke(X), T), happensAt(heat(X, _), T).
happensAt(evacuate(X), T) :- happensAt(alarm(X), T), not holdsAt(drill=true, T).
happensAt(report(X, low), T) :- happensAt(alarm(X), T).
happensAt(report(X, high), T) :- happensAt(alarm(X), T), happensAt(heat(X, H), T), H > 65.
initiatedAt(drill=true, T) :- happensAt(drill_begins, T).
terminatedAt(drill=true, T) :- happensAt(drill_ends, T).
