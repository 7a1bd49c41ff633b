"""Time limits in threads, which no signal interrupts: the main thread of another process does the work."""

import os
import threading
from collections.abc import Callable, Iterator

import pytest

from handmade import a_note
from ptcards.anki.fields import render, render_all
from ptcards.markdown import deadline
from ptcards.markdown.deadline import DeadlineError, within


def _never_end() -> None:
    while True:
        pass


def _die() -> None:
    os._exit(9)


@pytest.fixture
def _helper() -> Iterator[None]:
    yield
    deadline._helpers.pop().shutdown()


def in_a_thread(work: Callable[[], object]) -> object:
    """Return what a thread returns or raises."""
    ended: list[object] = []

    def end() -> None:
        try:
            ended.append(work())
        except DeadlineError as error:
            ended.append(type(error))

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    return ended[0]


@pytest.mark.slow
@pytest.mark.usefixtures("_helper")
def test_in_a_thread_what_takes_too_long_or_dies_is_over_and_the_next_work_is_done() -> None:
    helper = in_a_thread(lambda: within(60, os.getpid))
    assert helper != os.getpid()
    assert in_a_thread(lambda: within(0.01, _never_end)) == DeadlineError
    assert in_a_thread(lambda: within(60, os.getpid)) == helper
    assert in_a_thread(lambda: within(60, _die)) == DeadlineError
    assert in_a_thread(lambda: within(60, os.getpid)) not in {helper, os.getpid()}


@pytest.mark.slow
@pytest.mark.usefixtures("_helper")
def test_in_a_thread_a_note_is_rendered_as_without_one() -> None:
    note = a_note("Why?", "It *fits*.\n\n```python\nx = 1  # one\n```\n\n```nonsense\nx\n```")
    assert in_a_thread(lambda: list(render_all([note]))) == list(render_all([note]))
    assert in_a_thread(lambda: render(note)) == render(note)
