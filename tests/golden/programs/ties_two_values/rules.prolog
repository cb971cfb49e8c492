% a: red and green initiated at 5: neither holds afterwards. green at 8: [9,inf).
% b: red from 3 on ([4,...)); red and green at 10: each breaks the other, red ends: [4,11), green never holds.
% c: red from 3 on; green and blue at 10: red is broken, neither starts: [4,11).
initiatedAt(light(X)=C, T) :- happensAt(switch(X, C), T).
