"""The cheapest design that meets a goal: worked out for thousands, simulated for the best few."""
