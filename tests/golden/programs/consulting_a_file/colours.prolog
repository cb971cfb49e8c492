warm(red).
warm(yellow).
