initiatedAt(rich(_1)=true, _2, _3, _4) :-
     happensAtIE(win_lottery(_1),_3),
     _2=<_3,
     _3<_4.

holdsForSDFluent(happy(_1)=true,_2) :-
     holdsForProcessedSimpleFluent(_1,rich(_1)=true,_3),
     holdsForProcessedSimpleFluent(_1,location(_1)=pub,_4),
     union_all([_3,_4],_2).

cachingOrder2(_1, rich(_1)=true) :-
     person(_1).
