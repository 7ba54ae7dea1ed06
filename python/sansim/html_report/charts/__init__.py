"""The charts of the report. Each function gives a `Chart`; those that compare take one run or two."""
