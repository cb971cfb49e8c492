"""The programs of `fragments.py`, in the language of each system."""

__all__ = ["LOGICA_QUOTE", "QUOTE_RULES", "SCASP_QUOTE", "SCASP_VOTING", "VOTING_RULES"]

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
