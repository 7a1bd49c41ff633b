"""The study page's schedule for random reviews, run in a browser and compared with the `fsrs` package."""

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources

import pytest

from browsing import chromium

# After `browsing`, which skips the tests if Chromium is missing.
from fsrs import Card, Rating, Scheduler  # isort: skip
from playwright.sync_api import Page  # isort: skip

pytestmark = pytest.mark.browser

SEQUENCES = int(os.environ.get("PTCARDS_FSRS_SEQUENCES", "400"))
"""The number of histories; set this variable for 10,000 and more."""
REVIEWS = 12
START = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as opened:
        yield opened.new_page()


def histories() -> list[list[tuple[int, int]]]:
    """Return random reviews as (grade, days since the last one).

    The reviews are on the same day, on time, early, late, or years later.
    """
    source = random.Random(6)
    waits = [0, 0, 1, 2, 5, 30, 400]
    return [
        [
            (source.randint(1, 4), source.choice(waits) + source.randint(0, 3) * source.randint(0, 9))
            for _ in range(REVIEWS)
        ]
        for _ in range(SEQUENCES)
    ]


def by_the_package(history: list[tuple[int, int]]) -> list[tuple[float, float, int]]:
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card, now, found = Card(due=START), START, []
    for n, (grade, days) in enumerate(history):
        now += timedelta(days=days if n else 0)
        card, _ = scheduler.review_card(card, Rating(grade), now)
        found.append((card.stability, card.difficulty, (card.due - now).days))
    return found


def test_every_review_has_the_stability_difficulty_and_interval_of_the_package(page: Page) -> None:
    every = histories()
    folder = resources.files("ptcards.writers").joinpath("study")
    script = "".join(folder.joinpath(name).read_text("utf-8") for name in ("common.js", "fsrs.js"))
    page.set_content('<script id="data" type="application/json">{}</script>')
    ours = page.evaluate(
        f"""(every) => {{
        {script}
        return every.map((history) => {{
          let memory = null;
          return history.map(([grade, days]) => {{
            memory = reviewed(memory, grade, days);
            return [memory.stability, memory.difficulty, intervalOf(memory.stability)];
          }});
        }});
        }}""",
        every,
    )
    for history, found in zip(every, ours, strict=True):
        for (stability, difficulty, days), mine in zip(by_the_package(history), found, strict=True):
            assert mine[:2] == pytest.approx([stability, difficulty], rel=1e-9), history
            assert mine[2] == days, history
