initiatedAt(raw(Door)=State, T) :- happensAt(switch(Door, State), T).
fi(raw(Door)=State, door(Door)=State, 3).
