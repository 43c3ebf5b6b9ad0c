"""Tree ensembles in one form and the ways to run them, whatever library they come from."""
