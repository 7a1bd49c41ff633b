"""Limits computing time, and interrupts anything that exceeds the limit, including regular expressions.

Only the CPU time of the process that does the work counts, so a busy or sleeping machine makes no difference.
"""

import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ptcards.processes import begin_process, safe_path

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NOTE_SECONDS = 2.0
"""The maximum time for rendering a note, in seconds of CPU time."""

CODE_SECONDS = 0.5
"""The maximum time for colouring a code block, in seconds of CPU time; blocks that fit on a card need a tenth
of it."""

_TICK = 0.02
"""Seconds between two checks of the limits: of CPU time, but of wall-clock time on Windows.

An exceeded limit raises again after as much CPU time, because finalizers swallow exceptions.
"""


class DeadlineError(Exception):
    """The time limit was exceeded."""


def within(
    seconds: float, work: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Return what `work` returns if it takes at most `seconds` of CPU time.

    Outside the main thread, another process does the work. Therefore `work` must be a module-level function,
    and its arguments and result must be picklable.

    Raises:
        DeadlineError: the work takes longer.

    """
    if not _is_main_thread():
        result: Result = _elsewhere(partial(within, seconds, work, *arguments, **options))
        return result
    if not _running:
        with timer():
            return within(seconds, work, *arguments, **options)
    # As in `deadline`, in a quarter of its time, which counts for every note and every block of code.
    around, is_collecting = len(_ends), gc.isenabled()
    try:
        _begin(seconds)
        return work(*arguments, **options)
    finally:
        del _ends[around:]
        if is_collecting:
            gc.enable()


def _is_main_thread() -> bool:
    """Whether a limit can interrupt the running code: Python handles signals only in its main thread."""
    return threading.current_thread() is threading.main_thread()


if sys.platform == "win32":
    import ctypes

    SIGNAL = signal.SIGFPE
    """What a tick of the timer looks like; Python itself never lets Windows raise it."""

    @contextmanager
    def _ticking() -> Iterator[None]:
        """Interrupt the block at every tick, although Windows has no timer that does it with a signal.

        A timer of Windows calls the function of C Python that reports a signal, which needs no lock. As its
        argument is the number of the signal, it fits where a timer's callback belongs (not in 32 bits, where
        the two are called differently, so that nothing is limited there).
        """
        if sys.maxsize < 1 << 32:
            yield
            return
        kernel, timer = ctypes.windll.kernel32, ctypes.c_void_p()
        report = ctypes.cast(ctypes.pythonapi.PyErr_SetInterruptEx, ctypes.c_void_p)
        tick = round(_TICK * 1000)
        number = ctypes.c_void_p(int(SIGNAL))
        kernel.CreateTimerQueueTimer(ctypes.byref(timer), None, report, number, tick, tick, 0)
        try:
            yield
        finally:
            kernel.DeleteTimerQueueTimer(None, timer, ctypes.c_void_p(-1))  # -1: wait until it has ended

else:
    SIGNAL = signal.SIGVTALRM

    @contextmanager
    def _ticking() -> Iterator[None]:
        """Interrupt the block at every tick."""
        signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


_ends: list[float] = []
"""When the active limits end, on the clock of `time.process_time`; the last limit ends first."""
_running: list[bool] = []
"""Has an element while the timer is running."""


@contextmanager
def timer() -> Iterator[None]:
    """Keep the timer of the limits in the block running: to start it for every note takes 3% of a build.

    Outside the main thread, it does nothing.
    """
    if _running or not _is_main_thread():
        yield
        return
    previous = signal.signal(SIGNAL, _look)
    try:
        _running.append(True)
        with _ticking():
            yield
    finally:
        _running.clear()
        # The timer has stopped by now: if it outlived its handler, it would kill the process.
        signal.signal(SIGNAL, previous)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `DeadlineError` in the block after this many seconds of CPU time; limits can be nested.

    It only works in the main thread; use `within` for work that must end anywhere.
    Garbage collection is off in the block, because an error raised in a finalizer would only be printed.
    """
    around, is_collecting = len(_ends), gc.isenabled()
    with nullcontext() if _running else timer():
        try:
            _begin(seconds)
            yield
        finally:
            # Remove this limit first, so that it does not raise during cleanup. It may not have been added.
            del _ends[around:]
            if is_collecting:
                gc.enable()


def _begin(seconds: float) -> None:
    end = time.process_time() + seconds
    gc.disable()
    _ends.append(min(end, _ends[-1]) if _ends else end)


def _look(_signal: int, _frame: FrameType | None) -> None:
    if _ends and (now := time.process_time()) >= _ends[-1]:
        _ends[-1] = now + _TICK
        raise DeadlineError


_helpers: list["ProcessPoolExecutor"] = []
"""The process that works for threads, if one has asked for it."""
_turn = threading.Lock()


def _elsewhere(work: Callable[[], Result]) -> Result:
    """Return what another process returns, whose main thread does the work."""
    import multiprocessing  # noqa: PLC0415 - 50 ms with its imports, and few commands have threads
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    with _turn:
        if not _helpers:
            _helpers.append(ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin_process))
        try:
            with safe_path():
                done = _helpers[0].submit(work)
            return done.result()
        except BrokenProcessPool:  # it needed more memory than there is
            _helpers.clear()
            raise DeadlineError from None
