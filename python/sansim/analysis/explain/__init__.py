"""The bottleneck of a scenario, and remedies: by the analytic model in milliseconds, by simulation on request."""
