initiatedAt(silent(Vessel)=false, T) :- happensAt(position(Vessel), T).
fi(silent(Vessel)=false, silent(Vessel)=true, 30*minutes).
p(silent(_)=false).
