% nothing here yet
