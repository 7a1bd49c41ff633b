"""A limit on computing time that breaks into whatever runs, regular expressions included.

A busy machine or a sleeping one changes nothing: what counts is the time of this process alone.
"""

import os
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


class _Limits:
    """The limits around what runs, and the timer that looks at them.

    `ends` says when they are over, on the clock of `time.process_time`; the last is the earliest. The timer is wound up by the
    first of many limits, and stops when it finds none: each call of it takes as long as a short heading (measured).
    """

    def __init__(self) -> None:
        self.ends: list[float] = []
        self._ticks = False

    def wind(self) -> None:
        """Let the timer tick."""
        if not self._ticks:
            signal.signal(signal.SIGVTALRM, self._look)
            self._ticks = True
            signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)

    def _look(self, _signal: int, _frame: FrameType | None) -> None:
        if not self.ends:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self._ticks = False
        elif time.process_time() >= self.ends[-1]:
            raise DeadlineError

    def after_fork(self) -> None:
        """Know that a forked process has no timer."""
        self._ticks = False


_LIMITS = _Limits()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMITS.after_fork)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after so many seconds of computing; may stand inside another one.

    Needs an interval timer, which Unix has and only the main thread of a process can use; elsewhere there is no
    limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    end = time.process_time() + seconds
    ends = _LIMITS.ends
    around = len(ends)
    try:
        ends.append(min(end, ends[-1]) if around else end)
        _LIMITS.wind()
        yield
    finally:
        # Before anything else, lest the limit strike on the way out; it may have struck before it was in the list.
        del ends[around:]
