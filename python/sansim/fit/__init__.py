"""What every fit of a model to measurements shares: the search, what rows tell, rows held out, how far off it is."""
