3 :- switch(X).
