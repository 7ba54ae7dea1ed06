"""The commands of `sansim`, a module each."""
