% NetBill, a protocol for buying digital goods. A merchant presents a quote, a consumer accepts it, and a contract obliges
% both: the merchant to send the goods, the consumer to send an electronic payment order, within the contract's time.
%
%   request_quote(C, M, G)   present_quote(M, C, G, Price)   accept_quote(C, M, G)   send_goods(M, C, G)   send_epo(C, M, G)
%
% The durations of quotes, contracts and suspensions are in background.prolog.

% -- quotes -----------------------------------------------------------------------------------------------------------
% A quote is valid, then expiring, then invalid. A new presentation prolongs it.

initiatedAt(quote(M, C, G)=true, T) :-
    happensAt(present_quote(M, C, G, _), T).

initiatedAt(quote(M, C, G)=false, T) :-
    happensAt(accept_quote(C, M, G), T).

fi(quote(M, C, G)=true, quote(M, C, G)=expiring, Time) :-
    lasts(quote, Time).

p(quote(_, _, _)=true).

% Unless the quote is presented again at the deadline.
fi(quote(M, C, G)=expiring, quote(M, C, G)=false, Time) :-
    lasts(expiry, Time),
    not happensAt(present_quote(M, C, G, _), T).

% -- permission -------------------------------------------------------------------------------------------------------
% A merchant may present a quote once, and again after a delay or a request of the consumer.

initially(permission(_, present_quote(_))=true).

initiatedAt(permission(M, present_quote(C))=false, T) :-
    happensAt(present_quote(M, C, _, _), T),
    holdsAt(permission(M, present_quote(C))=true, T).

initiatedAt(permission(M, present_quote(C))=true, T) :-
    happensAt(request_quote(C, M, _), T),
    not happensAt(present_quote(M, C, _, _), T).

fi(permission(M, present_quote(C))=false, permission(M, present_quote(C))=true, Time) :-
    lasts(restraint, Time).

% -- contracts --------------------------------------------------------------------------------------------------------
% The acceptance of a valid quote makes a contract, unless one of the two is suspended. The acceptance of another quote
% for the same goods renews the contract: time, goods and payment start again.

initiatedAt(contract(M, C, G)=true, T) :-
    happensAt(accept_quote(C, M, G), T),
    holdsAt(quote(M, C, G)=true, T),
    not holdsAt(suspended(M, merchant)=true, T),
    not holdsAt(suspended(C, consumer)=true, T).

initiatedAt(contract(M, C, G)=true, T) :-
    happensAt(accept_quote(C, M, G), T),
    holdsAt(quote(M, C, G)=expiring, T),
    not holdsAt(suspended(M, merchant)=true, T),
    not holdsAt(suspended(C, consumer)=true, T).

% A contract ends when goods and payment have both been sent, or when its time has elapsed.

initiatedAt(contract(M, C, G)=false, T) :-
    happensAt(send_goods(M, C, G), T),
    holdsAt(contract(M, C, G)=true, T),
    holdsAt(paid(C, M, G)=true, T),
    not happensAt(accept_quote(C, M, G), T).

initiatedAt(contract(M, C, G)=false, T) :-
    happensAt(send_epo(C, M, G), T),
    holdsAt(contract(M, C, G)=true, T),
    holdsAt(delivered(M, C, G)=true, T),
    not happensAt(accept_quote(C, M, G), T).

initiatedAt(contract(M, C, G)=false, T) :-
    happensAt(send_goods(M, C, G), T),
    happensAt(send_epo(C, M, G), T),
    holdsAt(contract(M, C, G)=true, T),
    not happensAt(accept_quote(C, M, G), T).

fi(contract(M, C, G)=true, contract(M, C, G)=false, Time) :-
    lasts(contract, Time).

p(contract(_, _, _)=true).

% Goods and payment are booked to the latest acceptance.

initiatedAt(delivered(M, C, G)=true, T) :-
    happensAt(send_goods(M, C, G), T).

terminatedAt(delivered(M, C, G)=true, T) :-
    happensAt(accept_quote(C, M, G), T).

initiatedAt(paid(C, M, G)=true, T) :-
    happensAt(send_epo(C, M, G), T).

terminatedAt(paid(C, M, G)=true, T) :-
    happensAt(accept_quote(C, M, G), T).

% -- power and obligation ---------------------------------------------------------------------------------------------

holdsFor(power(C, accept_quote(M, G))=true, I) :-
    holdsFor(quote(M, C, G)=true, Standing),
    holdsFor(quote(M, C, G)=expiring, Expiring),
    union_all([Standing, Expiring], Open),
    holdsFor(suspended(M, merchant)=true, MerchantOut),
    holdsFor(suspended(C, consumer)=true, ConsumerOut),
    relative_complement_all(Open, [MerchantOut, ConsumerOut], I).

holdsFor(obligation(M, send_goods(C, G))=true, I) :-
    holdsFor(contract(M, C, G)=true, Contract),
    holdsFor(delivered(M, C, G)=true, Delivered),
    relative_complement_all(Contract, [Delivered], I).

holdsFor(obligation(C, send_epo(M, G))=true, I) :-
    holdsFor(contract(M, C, G)=true, Contract),
    holdsFor(paid(C, M, G)=true, Paid),
    relative_complement_all(Contract, [Paid], I).

% -- suspension -------------------------------------------------------------------------------------------------------
% A merchant that presents a quote without permission, and a party with an open obligation at the end of a contract, are
% suspended and cannot make contracts. Another offence prolongs the suspension.

initiatedAt(suspended(M, merchant)=true, T) :-
    happensAt(present_quote(M, C, _, _), T),
    holdsAt(permission(M, present_quote(C))=false, T).

initiatedAt(suspended(M, merchant)=true, T) :-
    happensAt(end(contract(M, C, G)=true), T),
    not holdsAt(delivered(M, C, G)=true, T),
    not happensAt(send_goods(M, C, G), T).

initiatedAt(suspended(C, consumer)=true, T) :-
    happensAt(end(contract(M, C, G)=true), T),
    not holdsAt(paid(C, M, G)=true, T),
    not happensAt(send_epo(C, M, G), T).

fi(suspended(Agent, Role)=true, suspended(Agent, Role)=false, Time) :-
    lasts(suspension, Time).

p(suspended(_, _)=true).

% -- input and domains ------------------------------------------------------------------------------------------------
% Merchants, consumers and goods are those of the records.

dynamicDomain(merchant(_)).
dynamicDomain(consumer(_)).
dynamicDomain(partners(_, _)).
dynamicDomain(deal(_, _, _)).

grounding(request_quote(C, M, _)) :- consumer(C), merchant(M), partners(M, C).
grounding(present_quote(M, C, G, _)) :- consumer(C), merchant(M), partners(M, C), deal(M, C, G).
grounding(accept_quote(C, M, G)) :- consumer(C), merchant(M), deal(M, C, G).
grounding(send_goods(M, C, G)) :- consumer(C), merchant(M), deal(M, C, G).
grounding(send_epo(C, M, G)) :- consumer(C), merchant(M), deal(M, C, G).

grounding(quote(M, C, G)=Value) :- deal(M, C, G), validity(Value).
grounding(permission(M, present_quote(C))=Value) :- partners(M, C), truth(Value).
grounding(contract(M, C, G)=Value) :- deal(M, C, G), truth(Value).
grounding(delivered(M, C, G)=true) :- deal(M, C, G).
grounding(paid(C, M, G)=true) :- deal(M, C, G).
grounding(power(C, accept_quote(M, G))=true) :- deal(M, C, G).
grounding(obligation(M, send_goods(C, G))=true) :- deal(M, C, G).
grounding(obligation(C, send_epo(M, G))=true) :- deal(M, C, G).
grounding(suspended(M, merchant)=Value) :- merchant(M), truth(Value).
grounding(suspended(C, consumer)=Value) :- consumer(C), truth(Value).

index(quote(M, _, _)=true, M).
