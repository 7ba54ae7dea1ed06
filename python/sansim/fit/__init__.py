"""Common code of fits of a model to measurements: the search, the precision, rows held out, the error."""
