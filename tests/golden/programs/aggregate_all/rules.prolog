% Stock at 10: apples 3 ([3,inf)), pears 5 ([4,inf)), plums 3 ([6,inf)). count 3, sum 11, max 5, min 3, bag [3,3,5] and
% set [3,5] in standard order. At 1 there is nothing: count 0, sum 0, empty bag and set, no max and no min.
initiatedAt(stock(G)=N, T) :- happensAt(deliver(G, N), T).
happensAt(count(N), T) :- happensAt(look, T), aggregate_all(count, holdsAt(stock(_)=_, T), N).
happensAt(sum(N), T) :- happensAt(look, T), aggregate_all(sum(V), holdsAt(stock(_)=V, T), N).
happensAt(max(N), T) :- happensAt(look, T), aggregate_all(max(V), holdsAt(stock(_)=V, T), N).
happensAt(min(N), T) :- happensAt(look, T), aggregate_all(min(V), holdsAt(stock(_)=V, T), N).
happensAt(bag(N), T) :- happensAt(look, T), aggregate_all(bag(V), holdsAt(stock(_)=V, T), N).
happensAt(set(N), T) :- happensAt(look, T), aggregate_all(set(V), holdsAt(stock(_)=V, T), N).
