% The field New York is the atom 'New York', quoted or not; Bond and 'Bond' too (fields have no variables). The string
% "york" is the atom york. An apostrophe is escaped when printed.
initiatedAt(in(X)=C, T) :- happensAt(go(X, C), T).
happensAt(bite(X), T) :- happensAt(go(X, 'New York'), T).
happensAt(text(X), T) :- happensAt(say(X, "york"), T).
happensAt(name(X), T) :- happensAt(say(X, york), T).
happensAt('Odd name'(X, "a string"), T) :- happensAt(say(X, _), T), T > 8.
% bite at 2 (unquoted) and 6 (quoted). text and name at 7 and 8.
