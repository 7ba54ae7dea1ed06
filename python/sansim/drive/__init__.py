"""A drive of the model that is like one that was measured: measurements read, keys fitted, the rest predicted."""
