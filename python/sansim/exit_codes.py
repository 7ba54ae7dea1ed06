"""The exit codes of the command `sansim`."""

BAD_INPUT = 2
"""Exit code: what was given cannot be used."""
NOT_COMPUTED = 3
"""Exit code: all was run, but a metric has no value at some point, or with `--strict` a published value is missed."""
OTHER = 1
"""Exit code: anything else that went wrong."""
INTERRUPTED = 130
"""Exit code: Ctrl-C, as shells have it for a program that a SIGINT ended (128 + 2)."""
