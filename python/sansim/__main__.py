"""`python -m sansim`: the command `sansim`, where its script is not on the path."""

from sansim.entry import main

main()
