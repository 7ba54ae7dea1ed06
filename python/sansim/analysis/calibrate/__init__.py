"""Unknown values of a scenario found from measurements, with how well the measurements tell them."""
