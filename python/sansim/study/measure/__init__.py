"""From results to metrics: values of runs, intervals off traces, statistics, formulas, figures along an axis."""
