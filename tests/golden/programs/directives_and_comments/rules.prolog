/* Directives that have no effect, declarations of older versions and comments are no part of the meaning.
   on: initiated at 3, terminated at 8: [4,9). */
:- discontiguous initiatedAt/2, terminatedAt/2.
:- dynamic switch/1.
needsGrounding(_, _, _) :- fail.
initiatedAt(on(X)=true, T) :-   % a comment inside
    happensAt(switch_on(X), T), /* and
    another */ true.
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
buildFromPoints(_) :- fail.
