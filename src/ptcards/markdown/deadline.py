"""A limit on computing time that breaks into whatever runs, regular expressions included.

A busy machine or a sleeping one changes nothing: what counts is the time of this process alone.
"""

import atexit
import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ptcards.processes import begin_process

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NOTE_SECONDS = 2.0
"""How long one note may render, in seconds of computing."""

CODE_SECONDS = 0.5
"""How long one code block may be highlighted; a tenth of it is plenty for any that fits a card."""

_TICK = 0.02
"""Seconds of computing between two looks at the limits. A limit strikes at every look from its end on: what runs in a
finalizer swallows every exception."""


_CLOCK = 5
"""How much longer a limit is by the clock, where computing time cannot be seen: a busy machine must not cut a
card short."""


class DeadlineError(Exception):
    """The time is up."""


def within(
    seconds: float, work: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Return what `work` returns, if it takes no more than so many seconds of computing.

    Where nothing can break into this process, another one works, by the clock and with more patience: `work`
    must be a function of a module, and all that goes in and out must be picklable.

    Raises:
        DeadlineError: it takes longer.

    """
    is_main = threading.current_thread() is threading.main_thread()
    if can_interrupt(has_timer=hasattr(signal, "setitimer"), is_main_thread=is_main):
        with deadline(seconds):
            return work(*arguments, **options)
    result: Result = _elsewhere(seconds * _CLOCK, work, arguments, options)
    return result


def can_interrupt(*, has_timer: bool, is_main_thread: bool) -> bool:
    """Whether a limit can break into what runs.

    Windows has no interval timer, and Python hears signals in its main thread.
    """
    return has_timer and is_main_thread


_ends: list[float] = []
"""When the limits around what runs are over, on the clock of `time.process_time`; the last is the
earliest."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after so many seconds of computing; may stand inside another one.

    Only where `can_interrupt`; call `within` for what has to end everywhere. Garbage is not collected in the
    block: what a limit raises in a finalizer only makes Python complain of it.
    """
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
        # Before anything else, so that the limit does not strike on the way out; it may have struck before it was in the
        # list.
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


class _Helper:
    """A process that works for this one until it is ended."""

    def __init__(self) -> None:
        from multiprocessing import get_context  # noqa: PLC0415 - 50 ms, and only few systems need it

        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()
        self._pipe.recv()  # it has begun: loading it is not part of any work

    def ask(self, seconds: float, request: object) -> Any:
        """Return its answer; raises `DeadlineError` if there is none in time, EOFError if it ended."""
        self._pipe.send(request)
        if not self._pipe.poll(seconds):
            raise DeadlineError
        return self._pipe.recv()

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


_helpers: list[_Helper] = []
"""The one that works, if any."""
_turn = threading.Lock()


def _elsewhere(seconds: float, *request: object) -> Any:
    """Return what a function returns in another process, which is ended if it takes longer."""
    with _turn:
        if not _helpers:
            _helpers.append(_Helper())
            # Processes that were started are waited for at the end, so it has to be ended before.
            atexit.register(end_helper)
        try:
            return _helpers[0].ask(seconds, request)
        except (DeadlineError, EOFError):
            end_helper()
            raise DeadlineError from None


def end_helper() -> None:
    """End the process that works elsewhere, if there is one."""
    atexit.unregister(end_helper)
    while _helpers:
        _helpers.pop().end()


def _serve(pipe: "Connection") -> None:
    """Work for the process at the other end of a pipe."""
    begin_process()
    pipe.send(None)
    while True:
        work, arguments, options = pipe.recv()
        pipe.send(work(*arguments, **options))
