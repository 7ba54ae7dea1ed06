"""Archives of runs: `pack` puts all that a run needs and its results into one file, `rerun` runs it and compares.

`contents` says what is in an archive and reads one, `pack` writes one, `rerun` runs the scenario in one, and
`difference` compares two run folders.
"""
