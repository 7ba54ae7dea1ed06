"""Answers about a scenario: what limits it, which design to buy, which keys fit measurements, how two compare."""
