"""A limit on computing time that breaks into whatever runs, regular expressions included.

A busy machine or a sleeping one changes nothing: what counts is the time of this process alone.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

NOTE_SECONDS = 2.0
"""How long one note may render, in seconds of computing."""

CODE_SECONDS = 0.5
"""How long one code block may be highlighted; a tenth of it is plenty for any that fits a card."""


_AGAIN = 0.05
"""Seconds of computing until a limit strikes again: what runs in a finalizer swallows every exception."""


class DeadlineError(Exception):
    """The time is up."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after so many seconds of computing; may stand inside another one.

    Needs an interval timer, which Unix has and only the main thread of a process can use; elsewhere there is no
    limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    outer, _ = signal.getitimer(signal.ITIMER_VIRTUAL)
    begun = time.process_time()
    previous = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, min(seconds, outer or seconds), _AGAIN)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        # Once more, as the limit may have struck right before the line above.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
        if outer:
            # The limit around this one goes on; if it is over, it strikes at once.
            signal.setitimer(signal.ITIMER_VIRTUAL, max(outer - (time.process_time() - begun), 1e-6), _AGAIN)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise DeadlineError
