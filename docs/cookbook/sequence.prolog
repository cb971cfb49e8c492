initiatedAt(failed(User)=true, T) :- happensAt(login_failed(User), T).
ft(failed(_)=true, 300).
p(failed(_)=true).
happensAt(takeover(User), T) :- happensAt(password_reset(User), T), holdsAt(failed(User)=true, T).
