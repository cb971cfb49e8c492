% Distance thresholds in pixels: at arm's length, side by side, next to, in company.
reach(24).
reach(25).
reach(30).
reach(34).
