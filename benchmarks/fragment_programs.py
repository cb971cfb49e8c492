"""The programs of `fragments.py`, in the language of each system."""

__all__ = ["IMMUNE_RULES", "LOGICA_QUOTE", "QUOTE_RULES", "SCASP_QUOTE", "SCASP_VOTING", "VOTING_RULES"]

QUOTE_RULES = """
initiatedAt(quote(M,C)=true, T) :- happensAt(present_quote(M,C), T).
terminatedAt(quote(M,C)=true, T) :- happensAt(accept_quote(M,C), T).
grounding(present_quote(M,C)) :- pair(M,C).
grounding(accept_quote(M,C)) :- pair(M,C).
grounding(quote(M,C)=true) :- pair(M,C).
dynamicDomain(pair(_,_)).
"""

VOTING_RULES = """
initiatedAt(voting(M)=true, T) :- happensAt(open_ballot(M), T).
terminatedAt(voting(M)=true, T) :- happensAt(close_ballot(M), T).
fi(voting(M)=true, voting(M)=over, 5).
grounding(open_ballot(M)) :- motion(M).
grounding(close_ballot(M)) :- motion(M).
grounding(voting(M)=true) :- motion(M).
grounding(voting(M)=over) :- motion(M).
motion(1).
motion(2).
motion(3).
"""

# A variable moves by one towards its aim, which depends on both variables. It moves with the next tick; variable 1
# falls only if its aim was the same at the last tick, and below it. Loops differ in the initial values.
IMMUNE_RULES = """
initially(level(C,0)=H) :- loop(C, H, _).
initially(level(C,1)=S) :- loop(C, _, S).
initiatedAt(level(C,0)=New, T) :-
    happensAt(tick, T), holdsAt(level(C,0)=H, T), holdsAt(level(C,1)=S, T), aims(H, S, Aim, _), Aim > H, New is H + 1.
initiatedAt(level(C,0)=New, T) :-
    happensAt(tick, T), holdsAt(level(C,0)=H, T), holdsAt(level(C,1)=S, T), aims(H, S, Aim, _), Aim < H, New is H - 1.
initiatedAt(level(C,1)=New, T) :-
    happensAt(tick, T), holdsAt(level(C,0)=H, T), holdsAt(level(C,1)=S, T), aims(H, S, _, Aim), Aim > S, New is S + 1.
initiatedAt(level(C,1)=New, T) :-
    happensAt(tick, T), holdsAt(level(C,0)=H, T), holdsAt(level(C,1)=S, T), aims(H, S, _, Aim), Aim < S,
    holdsAt(was(C)=aim(Aim, Before), T), Aim < Before, New is S - 1.
initiatedAt(was(C)=aim(Aim, S), T) :-
    happensAt(tick, T), holdsAt(level(C,0)=H, T), holdsAt(level(C,1)=S, T), aims(H, S, _, Aim).
aims(0, 0, 1, 0).
aims(0, 1, 0, 0).
aims(0, 2, 0, 1).
aims(1, 0, 1, 1).
aims(1, 1, 1, 2).
aims(1, 2, 0, 2).
aims(2, 0, 2, 1).
aims(2, 1, 2, 2).
aims(2, 2, 2, 2).
loop(0, 0, 0).
loop(1, 1, 0).
loop(10, 0, 1).
loop(11, 1, 1).
loop(20, 0, 2).
loop(21, 1, 2).
"""

SCASP_QUOTE = """
holds_at(M, C, T) :- present_quote(M, C, T1), T1 #< T, not stopped_in(T1, M, C, T).
stopped_in(T1, M, C, T2) :- accept_quote(M, C, T), T1 #< T, T #< T2.
?- holds_at(M, C, T).
"""

# The rules (α) and (β) of the paper: an effect proves its initiation, and what might cancel it, again every time.
SCASP_VOTING = """
over(M, T) :- open_ballot(M, T1), T #= T1 + 5, not broken(M, T1, T).
broken(M, T1, T2) :- close_ballot(M, T), T1 #< T, T #< T2.
broken(M, T1, T2) :- open_ballot(M, T0), T0 #< T1, T1 #< T0 + 5, over(M, T0 + 5).
ended(M, T1, T2) :- open_ballot(M, T), T1 #=< T, T #< T2.
holds_at(M, T) :- over(M, T1), T1 #< T, not ended(M, T1, T).
?- holds_at(M, T).
"""

LOGICA_QUOTE = """
@Engine("sqlite");
Initiated(merchant:, consumer:, t:) :- PresentQuote(merchant:, consumer:, t:);
Terminated(merchant:, consumer:, t:) :- AcceptQuote(merchant:, consumer:, t:);
TimePoint(t) :- t in Range(HORIZON);
Broken(merchant:, consumer:, ts:, te:) :-
  Terminated(merchant:, consumer:, t:), TimePoint(ts), TimePoint(te), ts < t, t < te;
HoldsAt(merchant:, consumer:, t:) distinct :-
  TimePoint(t), Initiated(merchant:, consumer:, t: ts), ts < t, ~Broken(merchant:, consumer:, ts:, te: t);
"""
