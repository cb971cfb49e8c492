% Delays in time-points.
delay(helper, 6).
delay(bcell, 4).
delay(antibody, 3).
delay(clearance, 2).
delay(decay, 8).
delay(relapse, 20).

delay(n, 2).
delay(cii, 3).
delay(ci, 4).
delay(cro, 7).

% represses(Protein, Other, Delay): the other protein is absent after the delay.
represses(ci, n, 1).
represses(ci, cii, 2).
represses(ci, cro, 3).
represses(cro, n, 2).
represses(cro, cii, 3).
represses(cro, ci, 6).
represses(cro, cro, 5).

protein(n).
protein(cii).
protein(ci).
protein(cro).

presence(present).
presence(absent).
