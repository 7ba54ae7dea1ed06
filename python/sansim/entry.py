"""The process of the command `sansim`: from its first import to its end Ctrl-C gives one line and exit code 130."""

from __future__ import annotations

import contextlib
import os
import sys

from sansim.exit_codes import INTERRUPTED


def main() -> None:
    """Entry of the `sansim` command."""
    try:
        from sansim.cli import main as command

        command()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            os.write(2, b"stopped\n")
        leave()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave()
        raise


def leave() -> None:
    """Ends the process at once: a thread within native code, such as an estimate or a query, is not waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)
