"""Studies: many points over axes, their runs, what is read off them, and how it compares with what was published."""
