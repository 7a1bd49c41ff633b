"""A limit on computing time that breaks into whatever runs, regular expressions included.

A busy machine or a sleeping one changes nothing: what counts is the time of this process alone.
"""

import gc
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NOTE_SECONDS = 2.0
"""How long one note may render, in seconds of computing."""

CODE_SECONDS = 0.5
"""How long one code block may be highlighted; a tenth of it is plenty for any that fits a card."""

_TICK = 0.02
"""Seconds of computing between two looks at the limits. A limit strikes at every look from its end on: what runs in a
finalizer swallows every exception."""


class DeadlineError(Exception):
    """The time is up."""


_ends: list[float] = []
"""When the limits around what runs are over, on the clock of `time.process_time`; the last is the earliest."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after so many seconds of computing; may stand inside another one.

    Needs an interval timer, which Unix has and only the main thread of a process can use; elsewhere there is no
    limit. Garbage is not collected in the block: what a limit raises in a finalizer only makes Python complain of it.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    end = time.process_time() + seconds
    around = len(_ends)
    previous = None if around else signal.signal(signal.SIGVTALRM, _look)
    is_collecting = gc.isenabled()
    try:
        gc.disable()
        _ends.append(min(end, _ends[-1]) if around else end)
        if not around:  # a note has a limit, and so has each code block in it: they share a timer
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
        yield
    finally:
        # Before anything else, lest the limit strike on the way out; it may have struck before it was in the list.
        del _ends[around:]
        if is_collecting:
            gc.enable()
        if not around:
            # In this order: a timer that outlives its handler kills the process.
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, previous)


def _look(_signal: int, _frame: FrameType | None) -> None:
    if _ends and time.process_time() >= _ends[-1]:
        raise DeadlineError
