% Compliance of road traffic fines: obligations that are met in time, and acts that are not permitted. Time-points are
% days, amounts are cents.
%
% The police issue a fine, send it and notify the offender. The offender pays or appeals in time, or owes a penalty. An
% appeal goes to the prefecture, which must decide in time, or to a judge. Unpaid amounts go to collection.
% The time limits are in background.prolog.

% -- amounts ----------------------------------------------------------------------------------------------------------

initiatedAt(price(F)=Amount, T) :-
    happensAt(create_fine(F, Amount), T).

initiatedAt(price(F)=Amount, T) :-
    happensAt(add_penalty(F, Amount), T).

initiatedAt(expense(F)=0, T) :-
    happensAt(create_fine(F, _), T).

initiatedAt(expense(F)=Amount, T) :-
    happensAt(send_fine(F, Amount), T).

% A payment record has the total paid so far. The payment settles the fine if the total is enough; amounts added on the
% same day do not count yet. Many offenders pay at once.

happensAt(settles(F), T) :-
    happensAt(payment(F, Paid), T),
    holdsAt(price(F)=Price, T),
    holdsAt(expense(F)=Expense, T),
    Paid >= Price + Expense.

happensAt(settles(F), T) :-
    happensAt(payment(F, Paid), T),
    happensAt(create_fine(F, Price), T),
    Paid >= Price.

% -- the claim --------------------------------------------------------------------------------------------------------

initiatedAt(claim(F)=open, T) :-
    happensAt(create_fine(F, _), T),
    not happensAt(settles(F), T).

initiatedAt(claim(F)=settled, T) :-
    happensAt(settles(F), T).

initiatedAt(claim(F)=dismissed, T) :-
    happensAt(start(appeal(F)=granted), T),
    holdsAt(claim(F)=open, T),
    not happensAt(settles(F), T).

initiatedAt(claim(F)=collected, T) :-
    happensAt(send_for_collection(F), T),
    holdsAt(claim(F)=open, T),
    not happensAt(settles(F), T),
    not happensAt(start(appeal(F)=granted), T).

% A claim lapses if it is not pursued.
fi(claim(F)=open, claim(F)=lapsed, Days) :-
    time_limit(claim, Days),
    not happensAt(settles(F), T),
    not happensAt(send_for_collection(F), T),
    not happensAt(start(appeal(F)=granted), T).

% -- notification -----------------------------------------------------------------------------------------------------
% A notification is due from the first day. It is overdue after its time limit, until it comes or the offender pays.

initiatedAt(notification(F)=due, T) :-
    happensAt(create_fine(F, _), T),
    not happensAt(settles(F), T).

terminatedAt(notification(F)=due, T) :-
    happensAt(notify_fine(F), T).

terminatedAt(notification(F)=due, T) :-
    happensAt(settles(F), T).

fi(notification(F)=due, overdue(F, notification)=true, Days) :-
    time_limit(notification, Days),
    not terminatedAt(notification(F)=due, T).

terminatedAt(overdue(F, notification)=true, T) :-
    happensAt(end(notification(F)=due), T).

% -- the time to pay or to appeal -------------------------------------------------------------------------------------
% The time runs from the notification, and again from the rejection of an appeal. The last day counts.

initiatedAt(term(F)=running, T) :-
    happensAt(notify_fine(F), T),
    holdsAt(claim(F)=open, T),
    not happensAt(settles(F), T).

initiatedAt(term(F)=running, T) :-
    happensAt(start(appeal(F)=rejected), T),
    holdsAt(claim(F)=open, T),
    not happensAt(settles(F), T).

terminatedAt(term(F)=_, T) :-
    happensAt(settles(F), T).

terminatedAt(term(F)=running, T) :-
    happensAt(appeals(F, _), T).

fi(term(F)=running, term(F)=expired, Days) :-
    time_limit(payment, Days),
    not happensAt(settles(F), T),
    not happensAt(appeals(F, _), T).

% -- appeals ----------------------------------------------------------------------------------------------------------
% The police forward an appeal to the prefecture; without a result in time, it is granted. Or an appeal goes to a judge.

happensAt(appeals(F, filed), T) :-
    happensAt(appeal_to_prefecture(F), T).

happensAt(appeals(F, in_court), T) :-
    happensAt(appeal_to_judge(F), T).

initiatedAt(appeal(F)=Stage, T) :-
    happensAt(appeals(F, Stage), T),
    holdsAt(term(F)=running, T).

initiatedAt(appeal(F)=forwarded, T) :-
    happensAt(send_appeal(F), T),
    holdsAt(appeal(F)=filed, T).

initiatedAt(appeal(F)=rejected, T) :-
    happensAt(receive_result(F), T),
    holdsAt(appeal(F)=forwarded, T).

fi(appeal(F)=forwarded, appeal(F)=granted, Days) :-
    time_limit(decision, Days),
    not happensAt(receive_result(F), T).

fi(appeal(F)=filed, overdue(F, forwarding)=true, Days) :-
    time_limit(forwarding, Days),
    not happensAt(send_appeal(F), T).

terminatedAt(overdue(F, forwarding)=true, T) :-
    happensAt(end(appeal(F)=filed), T).

% -- obligations and permissions --------------------------------------------------------------------------------------

holdsFor(obligation(police, notify(F))=true, I) :- holdsFor(notification(F)=due, I).
holdsFor(obligation(police, forward(F))=true, I) :- holdsFor(appeal(F)=filed, I).
holdsFor(obligation(prefecture, decide(F))=true, I) :- holdsFor(appeal(F)=forwarded, I).

holdsFor(obligation(offender, pay(F))=true, I) :-
    holdsFor(claim(F)=open, Open),
    holdsFor(term(F)=running, Running),
    holdsFor(term(F)=expired, Expired),
    union_all([Running, Expired], Notified),
    intersect_all([Open, Notified], I).

holdsFor(permission(police, collect(F))=true, I) :-
    holdsFor(claim(F)=open, Open),
    holdsFor(term(F)=expired, Expired),
    intersect_all([Open, Expired], I).

% -- unlawful acts ----------------------------------------------------------------------------------------------------
% Output events: a penalty before the time to pay has expired, or after payment or appeal; collection without a due
% claim. The penalty may come on the day on which the time expires.

happensAt(unlawful(penalty, F), T) :-
    happensAt(add_penalty(F, _), T),
    not holdsAt(term(F)=expired, T),
    not initiatedAt(term(F)=expired, T).

happensAt(unlawful(collection, F), T) :-
    happensAt(send_for_collection(F), T),
    not holdsAt(permission(police, collect(F))=true, T).

% -- input and domains ------------------------------------------------------------------------------------------------

dynamicDomain(fine(_)).

grounding(create_fine(F, _)) :- fine(F).
grounding(send_fine(F, _)) :- fine(F).
grounding(notify_fine(F)) :- fine(F).
grounding(add_penalty(F, _)) :- fine(F).
grounding(payment(F, _)) :- fine(F).
grounding(appeal_to_prefecture(F)) :- fine(F).
grounding(send_appeal(F)) :- fine(F).
grounding(receive_result(F)) :- fine(F).
grounding(appeal_to_judge(F)) :- fine(F).
grounding(send_for_collection(F)) :- fine(F).

grounding(claim(F)=Value) :- fine(F), claim(Value).
grounding(notification(F)=due) :- fine(F).
grounding(overdue(F, Duty)=true) :- fine(F), duty(Duty).
grounding(term(F)=Value) :- fine(F), term(Value).
grounding(appeal(F)=Stage) :- fine(F), stage(Stage).
grounding(obligation(police, notify(F))=true) :- fine(F).
grounding(obligation(police, forward(F))=true) :- fine(F).
grounding(obligation(prefecture, decide(F))=true) :- fine(F).
grounding(obligation(offender, pay(F))=true) :- fine(F).
grounding(permission(police, collect(F))=true) :- fine(F).
grounding(unlawful(Act, F)) :- act(Act), fine(F).

index(payment(F, _), F).
