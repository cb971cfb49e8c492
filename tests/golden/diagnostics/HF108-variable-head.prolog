On :- switch(X).
