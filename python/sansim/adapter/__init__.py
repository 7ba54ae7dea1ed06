"""Adapters that are like adapters that were measured: fitted to a table of rates, or to an analyzer trace."""
