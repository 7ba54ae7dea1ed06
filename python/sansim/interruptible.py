"""Work in native code that looks at no signals, done so that Ctrl-C ends it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")

LOOK_S = 0.1
"""How often Ctrl-C is looked for."""
END_S = 5.0
"""Time in which work that is stopped has to end; it takes milliseconds, but for sorting much."""


def interruptible(
    work: Callable[[], Result], stop: Callable[[], object], look: Callable[[], object] | None = None
) -> Result:
    """Does something so that Ctrl-C ends it.

    Python looks at signals only between steps of its own, in its main thread. So another thread works, and this one
    waits. The system may give the signal to any thread, which does not wake this one; so it looks from time to time. It
    waits for what the thread hands over and not for the thread: in Python 3.11 a `Thread.join` that Ctrl-C interrupts
    takes the thread for ended.

    Args:
        work: The work.
        stop: Makes the work end early; it is called at Ctrl-C, and when `look` raises an exception.
        look: Called some times a second meanwhile.

    Raises:
        KeyboardInterrupt: Ctrl-C; and whatever `work` and `look` raise.
    """
    done: queue.SimpleQueue[tuple[Callable[[], Result], None] | tuple[None, BaseException]] = queue.SimpleQueue()

    def go() -> None:
        try:
            result = work()
            done.put((lambda: result, None))
        except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
            done.put((None, error))

    threading.Thread(target=go, daemon=True).start()
    try:
        while True:
            with suppress(queue.Empty):
                result, error = done.get(timeout=LOOK_S)
                break
            if look is not None:
                look()
    except BaseException:
        # A thread that is in native code when Python ends takes the process down.
        stop()
        with suppress(queue.Empty):
            done.get(timeout=END_S)
        raise
    if result is None:
        assert error is not None
        raise error
    return result()
