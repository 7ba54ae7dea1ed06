"""A run: simulating a scenario, recording it, its result as data, and the folder it is written to."""
