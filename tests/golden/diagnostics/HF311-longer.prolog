initiatedAt(order(X)=placed, T) :- happensAt(place_order(X), T).
fi(order(X)=placed, order(X)=late, 20).
fi(order(X)=placed, order(X)=lost, 30).
ft(order(_)=late, 5).
fi(order(Y)=late, order(Y)=lost, 9).
fi(order(Y)=lost, refund(Y)=due, 4).
fi(order(Y)=lost, order(Y)=closed, 8).
