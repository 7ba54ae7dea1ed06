"""What limits a scenario, and what would help: by the analytic model in milliseconds, by simulation on request."""
