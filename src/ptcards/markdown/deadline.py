"""Limits computing time, and interrupts anything that exceeds the limit, including regular expressions.

Only this process's own CPU time counts, so a busy or sleeping machine makes no difference.
"""

import atexit
import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ptcards.processes import begin_process, safe_path

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NOTE_SECONDS = 2.0
"""The maximum time for rendering a note, in seconds of CPU time."""

CODE_SECONDS = 0.5
"""The maximum time for colouring a code block, in seconds of CPU time; blocks that fit on a card need a tenth
of it."""

_TICK = 0.02
"""Seconds of CPU time between two checks of the limits.

An exceeded limit raises at every check, because finalizers swallow exceptions.
"""


_CLOCK = 5
"""The factor by which limits grow when they count wall-clock time, so that a busy machine does not affect
cards."""


class DeadlineError(Exception):
    """The time limit was exceeded."""


def within(
    seconds: float, work: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Return what `work` returns if it takes at most `seconds` of CPU time.

    If this process cannot be interrupted, another process does the work, with a longer limit in wall-clock
    time. Therefore `work` must be a module-level function, and its arguments and result must be picklable.

    Raises:
        DeadlineError: the work takes longer.

    """
    is_main = threading.current_thread() is threading.main_thread()
    if can_interrupt(has_timer=hasattr(signal, "setitimer"), is_main_thread=is_main):
        with deadline(seconds):
            return work(*arguments, **options)
    result: Result = _elsewhere(seconds * _CLOCK, work, arguments, options)
    return result


def can_interrupt(*, has_timer: bool, is_main_thread: bool) -> bool:
    """Whether a limit can interrupt running code.

    Windows has no interval timer, and Python handles signals only in its main thread.
    """
    return has_timer and is_main_thread


_ends: list[float] = []
"""When the active limits end, on the clock of `time.process_time`; the last limit ends first."""
_running: list[bool] = []
"""Has an element while the timer is running."""


@contextmanager
def timer() -> Iterator[None]:
    """Keep the timer of the limits in the block running: to start it for every note takes 3% of a build.

    Where `can_interrupt` returns false, it does nothing.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if _running or not can_interrupt(has_timer=hasattr(signal, "setitimer"), is_main_thread=is_main):
        yield
        return
    previous = signal.signal(signal.SIGVTALRM, _look)
    try:
        _running.append(True)
        signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
        yield
    finally:
        _running.clear()
        # The timer must stop first: if it outlives its handler, it kills the process.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after this many seconds of CPU time; limits can be nested.

    It only works if `can_interrupt` returns true; use `within` for work that must end on every system.
    Garbage collection is off in the block, because an error raised in a finalizer would only be printed.
    """
    end = time.process_time() + seconds
    around = len(_ends)
    is_collecting = gc.isenabled()
    with nullcontext() if _running else timer():
        try:
            gc.disable()
            _ends.append(min(end, _ends[-1]) if around else end)
            yield
        finally:
            # Remove this limit first, so that it does not raise during cleanup. It may not have been added.
            del _ends[around:]
            if is_collecting:
                gc.enable()


def _look(_signal: int, _frame: FrameType | None) -> None:
    if _ends and time.process_time() >= _ends[-1]:
        raise DeadlineError


class _Helper:
    """A process that does work for this one."""

    def __init__(self) -> None:
        from multiprocessing import get_context  # noqa: PLC0415 - takes 50 ms, and few systems need it

        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        with safe_path():
            self._process.start()
        theirs.close()
        self._pipe.recv()  # wait until it has started, because start-up time does not count

    def ask(self, seconds: float, request: object) -> Any:
        """Return the result of a request.

        Raises DeadlineError if there is none in time, and EOFError if the process has ended.
        """
        self._pipe.send(request)
        if not self._pipe.poll(seconds):
            raise DeadlineError
        return self._pipe.recv()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


_helpers: list[_Helper] = []
"""The running helper, if any."""
_turn = threading.Lock()


def _elsewhere(seconds: float, *request: object) -> Any:
    """Return what a function returns in another process, and end that process if it takes too long."""
    with _turn:
        if not _helpers:
            _helpers.append(_Helper())
            # Python waits for child processes when it exits, so the helper must end before that.
            atexit.register(end_helper)
        try:
            return _helpers[0].ask(seconds, request)
        except (DeadlineError, EOFError):
            end_helper()
            raise DeadlineError from None


def end_helper() -> None:
    """End the helper process, if there is one."""
    atexit.unregister(end_helper)
    while _helpers:
        _helpers.pop().end()


def _serve(pipe: "Connection") -> None:
    """Do the work that the process at the other end of a pipe requests."""
    begin_process()
    pipe.send(None)
    while True:
        work, arguments, options = pipe.recv()
        pipe.send(work(*arguments, **options))
