"""Time limits if no timer can interrupt this process: another process does the work, and is killed."""

import signal
import threading
from collections.abc import Iterator
from multiprocessing import active_children

import pytest

from handmade import a_note
from ptcards.anki.fields import render
from ptcards.markdown.deadline import DeadlineError, can_interrupt, end_helper, timer, within


def _never_end() -> None:
    while True:
        pass


def _double(number: int) -> int:
    return 2 * number


@pytest.fixture
def _no_timer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delattr(signal, "setitimer")
    yield
    end_helper()
    assert active_children() == []


@pytest.mark.parametrize(
    ("has_timer", "is_main_thread", "expected"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_a_limit_breaks_in_only_with_a_timer_and_in_the_main_thread(
    has_timer: bool, is_main_thread: bool, expected: bool
) -> None:
    assert can_interrupt(has_timer=has_timer, is_main_thread=is_main_thread) == expected


@pytest.mark.slow
@pytest.mark.usefixtures("_no_timer")
def test_without_a_timer_what_takes_too_long_is_ended_and_the_next_work_is_done() -> None:
    assert within(60, _double, 2) == 4
    with pytest.raises(DeadlineError):
        within(0.01, _never_end)
    assert active_children() == []
    assert within(60, _double, 3) == 6


@pytest.mark.slow
@pytest.mark.usefixtures("_no_timer")
def test_without_a_timer_a_note_is_rendered_as_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    note = a_note("Why?", "It *fits*.\n\n```python\nx = 1  # one\n```\n\n```nonsense\nx\n```")
    elsewhere = render(note)
    monkeypatch.undo()
    assert elsewhere == render(note)


@pytest.mark.slow
def test_in_another_thread_a_limit_holds_as_well() -> None:
    ended = []

    def work() -> None:
        try:
            with timer():
                within(0.01, _never_end)
        except DeadlineError:
            ended.append(active_children())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [[]]
