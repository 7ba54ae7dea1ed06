//! Traces of block I/O: the files that people already own, read and written in every common format.
#![forbid(unsafe_code)]
