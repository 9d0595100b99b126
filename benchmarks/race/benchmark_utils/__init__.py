"""What objective, data sets and solvers of the race share."""
