"""`holdsfor run --live --checkpoint DIR`: a live run that continues where it was killed."""
