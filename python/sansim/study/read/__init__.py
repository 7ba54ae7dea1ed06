"""Reading a study file: every key with its place, every mistake with one message."""

from sansim.study.read.study import open_study, read_study

__all__ = ["open_study", "read_study"]
