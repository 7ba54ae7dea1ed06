"""Running: jobs, the store of their results, processes of this machine or of a cluster."""
