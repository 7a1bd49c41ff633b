"""What the study page stores in the browser: unreadable records, several tabs, and storage that fails.

An entry of a record is `[stability, difficulty, due, last, at, asked, known]`; see `study/record.js`.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handmade import rendered
from html_browser import NOON, begin, browser, status, stored
from html_files import CONFIG, written
from serving import PATIENCE

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, BrowserContext, Page, expect  # isort: skip

__all__ = ["browser"]

pytestmark = pytest.mark.browser

KEY = f"ptcards:{CONFIG.id}"
UNREAD = f"{KEY}:unread-{NOON:%Y-%m-%d}"
TODAY = (NOON - timedelta(hours=4)).date().toordinal() - 719_163
"""The day of NOON, in days since 1970."""
AT = int(NOON.timestamp())
KNOWN = [30.0, 5.0, TODAY - 1, TODAY - 31, AT - 31 * 86_400, 3, 2]
"""The entry of a card that was due yesterday."""
ENTRIES = {f"g{n:02}/0": KNOWN for n in range(12)}
DAYS = {str(TODAY - 31): [12, 12]}
RECORD = {"ptcards": 2, "collection": CONFIG.id, "cards": ENTRIES, "days": DAYS}
GOOD = [2.3065, 2.1181, TODAY + 2, TODAY, AT, 0, 0]
"""The entry of a new card after Good, at NOON."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a deck of twelve cards in one topic, whose order is that of the deck."""
    notes = [
        rendered(f"g{n:02}", {"Question": f'<p class="heading">{n}?</p>', "Answer": "<p>Yes.</p>"})
        for n in range(12)
    ]
    file = written(tmp_path_factory.mktemp("progress") / "small.html", notes)
    file.with_name("empty.html").write_text("<!doctype html><title>empty</title>", encoding="utf-8")
    return file


@dataclass
class Tabs:
    """Tabs of one browser, and an empty page at the same origin."""

    context: BrowserContext
    file: Path
    empty: Page
    complaints: list[str]
    mark: int = 0

    def store(self, record: object) -> None:
        """Store a record, or a text as it is."""
        text = record if isinstance(record, str) else json.dumps(record)
        self.empty.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
        self.send(self.empty)

    def send(self, page: Page, *others: Page) -> None:
        """Wait until these tabs, and all that are opened later, see what this one has stored.

        A page sees its own changes immediately, but those of other processes a little later, in their order.
        """
        self.mark += 1
        page.evaluate("mark => localStorage.setItem('mark', mark)", f"{self.mark}")
        for other in others:
            until(partial(other.evaluate, self._is_current()))

    def open(self, script: str = "") -> Page:
        """Open the deck in a new tab, which first runs a script."""
        return self._open(self.file, script)

    def _open(self, file: Path, script: str = "") -> Page:
        """Open a file in a new tab.

        On a busy machine, Chromium cuts some tabs off from the storage of the others (about 2 of 100,
        measured). They are closed here; `cut_off` imitates them.
        """
        for _ in range(20):
            page = self.context.new_page()
            page.add_init_script(script)
            page.goto(file.as_uri())
            begin(page)
            if page.evaluate(self._is_current()):
                return page
            page.close()
        pytest.fail("no tab sees what another one has stored")

    def _is_current(self) -> str:
        return f"localStorage.getItem('mark') === '{self.mark}'"

    def reset(self) -> None:
        """Close all tabs but the empty one, and remove what they stored."""
        for page in self.context.pages:
            if page != self.empty:
                page.close()
        self.empty.evaluate(
            """() => new Promise((resolve) => {
              localStorage.clear();
              indexedDB.deleteDatabase("ptcards").onsuccess = () => resolve(null);
            })"""
        )
        self.send(self.empty)
        self.at(NOON)
        self.complaints.clear()

    def at(self, now: datetime) -> None:
        self.context.clock.set_fixed_time(now)


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what a page does not show."""
    for _ in range(1000):
        if is_so():
            return
        time.sleep(0.01)
    pytest.fail("it never came")


def texts(page: Page) -> dict[str, str]:
    """Return all texts that are stored for the deck, by their keys."""
    stored = page.evaluate("Object.entries(localStorage)")
    return {key: text for key, text in stored if key.startswith(KEY)}


def record(page: Page) -> Any:
    return json.loads(texts(page)[KEY])


@pytest.fixture(scope="module")
def opened(browser: Browser, small: Path) -> Tabs:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    empty = small.with_name("empty.html")
    first = context.new_page()
    first.goto(empty.as_uri())
    tabs = Tabs(context, small, first, complaints)
    tabs.send(first)
    tabs.empty = tabs._open(empty)
    return tabs


@pytest.fixture
def tabs(opened: Tabs) -> Iterator[Tabs]:
    opened.reset()
    yield opened
    assert opened.complaints == []


def study(page: Page, keys: str = "3") -> None:
    """Grade a card with each of these keys."""
    for key in keys:
        page.keyboard.press("Enter")
        page.keyboard.press(key)


def forget(page: Page) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#more")
    page.click("#reset")
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_contain_text("0 of 12 cards started")


def reviewed(entry: list[float]) -> bool:
    """Whether the entry of a card that was due has been graded Good."""
    return entry[3:] == [TODAY, AT, 4, 3]


# Records that cannot be read


PARTS = {
    "an eighth number": [*KNOWN, 1],
    "a fraction": [*KNOWN[:2], TODAY + 0.5, *KNOWN[3:]],
    "stability 0": [0, *KNOWN[1:]],
    "no list": "",
    "a number as text": [str(KNOWN[0]), *KNOWN[1:]],
    "an endless stability": [1e9, *KNOWN[1:]],
    "difficulty 0.5": [KNOWN[0], 0.5, *KNOWN[2:]],
    "difficulty 11": [KNOWN[0], 11, *KNOWN[2:]],
}
WHOLE = {
    "a newer version": json.dumps({**RECORD, "ptcards": 3}),
    "a text that was cut off": json.dumps(RECORD)[:-40],
    "the id in other case": json.dumps({**RECORD, "collection": CONFIG.id.upper()}),
    "no table of cards": json.dumps({**RECORD, "cards": [KNOWN]}),
    "no table of days": json.dumps({**RECORD, "days": [1]}),
    "only bad entries": json.dumps({**RECORD, "cards": {"g00/0": 1}, "days": {}}),
}


def test_bad_entries_do_not_lose_the_others(tabs: Tabs) -> None:
    bad = {f"g{n:02}/0": entry for n, entry in enumerate(PARTS.values(), 8)}  # four of them of unknown cards
    text = json.dumps({**RECORD, "cards": {**ENTRIES, **bad}, "days": {**DAYS, "x": [1, 1]}})
    tabs.store(text)
    page = tabs.open()
    assert status(page) == (
        "8 due · 4 new left today · some stored progress could not be read: see ⋯"
        " · progress last saved: never (see ⋯) · 8 of 12 cards started"
    )
    study(page)
    cards = record(page)["cards"]
    assert texts(page) == {KEY: texts(page)[KEY], UNREAD: text}
    assert reviewed(cards.pop("g00/0"))
    assert cards == {f"g{n:02}/0": KNOWN for n in range(1, 8)}
    assert record(page)["days"] == {**DAYS, str(TODAY): [1, 0]}


@pytest.mark.parametrize("bad", WHOLE)
def test_a_record_that_cannot_be_read_is_kept_before_it_is_replaced(tabs: Tabs, bad: str) -> None:
    tabs.store(WHOLE[bad])
    page = tabs.open()
    assert texts(page) == {KEY: WHOLE[bad]}
    study(page)
    assert texts(page).keys() == {KEY, UNREAD}
    assert texts(page)[UNREAD] == WHOLE[bad]
    assert record(page) == {**RECORD, "cards": {"g00/0": GOOD}, "days": {str(TODAY): [1, 1]}}


@pytest.mark.parametrize(("day", "counts"), [("x", [1, 1]), ("5", [1, -1]), ("5", [1, 1, 1])])
def test_a_bad_day_is_kept_too(tabs: Tabs, day: str, counts: list[int]) -> None:
    text = json.dumps({**RECORD, "days": {**DAYS, day: counts}})
    tabs.store(text)
    page = tabs.open()
    study(page)
    assert texts(page) == {KEY: texts(page)[KEY], UNREAD: text}


def test_a_box_that_never_existed_is_kept_too(tabs: Tabs) -> None:
    """Version 1 had nine boxes."""
    text = json.dumps(
        {"ptcards": 1, "collection": CONFIG.id, "cards": {"g00/0": [9, TODAY, AT], "g01/0": [1, TODAY, AT]}}
    )
    tabs.store(text)
    page = tabs.open()
    assert texts(page) == {KEY: texts(page)[KEY], UNREAD: text}
    assert record(page)["cards"].keys() == {"g01/0"}


def test_what_was_stored_without_an_event_is_read_before_an_answer(tabs: Tabs) -> None:
    """A page hears nothing of what it stores itself, and of what others do a little late."""
    page = tabs.open()
    other = json.dumps({**RECORD, "cards": {"g05/0": KNOWN}})
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, other])
    study(page)
    assert record(page)["cards"] == {"g00/0": GOOD, "g05/0": KNOWN}


def test_what_was_stored_without_an_event_is_read_before_a_file(tabs: Tabs, tmp_path: Path) -> None:
    page = tabs.open()
    other = json.dumps({**RECORD, "cards": {"g05/0": KNOWN}})
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, other])
    (tmp_path / "p.json").write_text(json.dumps({**RECORD, "cards": {"g06/0": KNOWN}}), encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text("1 card loaded from p.json.")
    assert record(page)["cards"] == {"g05/0": KNOWN, "g06/0": KNOWN}


def test_a_day_before_1970_is_read(tabs: Tabs) -> None:
    """A page stores such a day itself if the clock starts at 1970."""
    tabs.at(datetime.fromtimestamp(60, tz=NOON.tzinfo))
    page = tabs.open()
    study(page)
    assert record(page)["days"] == {"-1": [1, 1]}
    tabs.at(NOON)
    tabs.send(page)
    page = tabs.open()
    study(page)
    assert texts(page).keys() == {KEY}
    assert record(page)["days"] == {"-1": [1, 1], str(TODAY): [1, 0]}


def test_a_day_in_the_far_future_is_read(tabs: Tabs) -> None:
    tabs.at(datetime(9999, 1, 1, 12, tzinfo=NOON.tzinfo))
    page = tabs.open()
    study(page)
    assert [len(day) for day in record(page)["days"]] == [7]
    tabs.send(page)
    page = tabs.open()
    assert status(page) == "0 due · 11 new left today · 1 of 12 cards started"


def test_what_could_not_be_read_is_offered_as_files(tabs: Tabs, tmp_path: Path) -> None:
    unread = [WHOLE["a newer version"], WHOLE["a text that was cut off"]]
    page = tabs.open()
    for text in unread:
        tabs.store(text)
        tabs.send(tabs.empty, page)
        study(page)
    assert texts(page) == {KEY: texts(page)[KEY], UNREAD: unread[0], f"{UNREAD}-2": unread[1]}
    assert record(page)["cards"] == {"g00/0": GOOD, "g01/0": GOOD}
    assert "could not be read" in status(page)
    page.click("#more")
    offered = page.locator("#unread button")
    assert offered.all_inner_texts() == [f"Save as a file ({NOON:%Y-%m-%d}{n})" for n in ("", "-2")]
    for button, text, n in zip(offered.all(), unread, ("", "-2"), strict=True):
        with page.expect_download() as download:
            button.click()
        assert download.value.suggested_filename == f"small-unread-{NOON:%Y-%m-%d}{n}.json"
        download.value.save_as(tmp_path / "saved.json")
        assert (tmp_path / "saved.json").read_text("utf-8") == text
    page.keyboard.press("Escape")
    forget(page)
    page.click("#more")
    assert page.is_hidden("#unread")
    assert texts(page).keys() == {KEY}


def test_what_could_not_be_read_is_offered_before_it_is_kept(tabs: Tabs, tmp_path: Path) -> None:
    text = WHOLE["a newer version"]
    tabs.store(text)
    page = tabs.open()
    page.click("#more")
    with page.expect_download() as download:
        page.click("#unread button")
    download.value.save_as(tmp_path / "saved.json")
    assert (tmp_path / "saved.json").read_text("utf-8") == text
    assert texts(page) == {KEY: text}


def test_a_record_that_cannot_be_kept_is_not_replaced(tabs: Tabs) -> None:
    text = json.dumps({**RECORD, "ptcards": 3, "more": "x" * 3_000_000})
    tabs.store(text)
    page = tabs.open()
    study(page)
    assert texts(page) == {KEY: text}
    assert "this browser keeps no progress here: save it as a file" in status(page)


def test_a_file_with_a_bad_entry_loads_the_others(tabs: Tabs, tmp_path: Path) -> None:
    page = tabs.open()
    file = tmp_path / "p.json"
    file.write_text(json.dumps({**RECORD, "cards": {**ENTRIES, "g00/0": 1}}), encoding="utf-8")
    page.set_input_files("#import-file", file)
    said = "11 cards loaded from p.json; 1 entry could not be read."
    expect(page.locator("#progress-said")).to_have_text(said)
    assert record(page) == {**RECORD, "cards": {f"g{n:02}/0": KNOWN for n in range(1, 12)}}


def test_a_file_of_bad_entries_is_damaged(tabs: Tabs, tmp_path: Path) -> None:
    page = tabs.open()
    (tmp_path / "p.json").write_text(WHOLE["only bad entries"], encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text("The file is damaged.")
    assert texts(page) == {}


# An empty first read


FIRST_READ = """
const read = Storage.prototype.getItem;
let first = true;
Storage.prototype.getItem = function (key) {
  if (key !== "%s" || !first) return read.call(this, key);
  first = false;
  return null;
};
"""


def test_progress_that_the_first_read_does_not_show_is_kept(tabs: Tabs) -> None:
    tabs.store(RECORD)
    page = tabs.open(FIRST_READ % KEY)
    study(page)
    cards = record(page)["cards"]
    assert reviewed(cards.pop("g00/0"))
    assert cards == {card: entry for card, entry in ENTRIES.items() if card != "g00/0"}


CUT_OFF = """
const shown = new Map();
Storage.prototype.getItem = (key) => shown.get(key) ?? null;
Storage.prototype.setItem = (key, text) => shown.set(key, text);
"""
"""What Chromium does to some tabs on a busy machine: they see an empty storage, and no other tab sees what
they store.
"""


def cut_off(tabs: Tabs) -> Page:
    page = tabs.context.new_page()
    page.add_init_script(CUT_OFF)
    page.goto(tabs.file.as_uri())
    begin(page)
    return page


def wait_for_copy(page: Page) -> None:
    """Wait until a copy of what the page has stored is written."""
    texts = """key => new Promise((resolve) => {
      indexedDB.open("ptcards").onsuccess = ({ target }) => {
        const { result } = target;
        if (!result.objectStoreNames.length) return result.close(), resolve([]);
        result.transaction("progress").objectStore("progress").getAll().onsuccess = ({ target }) => {
          result.close();
          resolve([localStorage.getItem(key), ...target.result]);
        };
      };
    })"""

    def is_copied() -> bool:
        stored, *copies = map(json.loads, page.evaluate(texts, KEY))
        return stored in copies

    until(is_copied)


def test_a_tab_that_is_shown_an_empty_storage_loses_nothing(tabs: Tabs) -> None:
    tabs.store(RECORD)
    wait_for_copy(tabs.open())
    page = cut_off(tabs)
    expect(page.locator("#status")).to_contain_text("12 due")
    study(page, "33")
    page.keyboard.press("ArrowLeft")
    wait_for_copy(page)
    page.close()
    page = tabs.open()
    expect(page.locator("#status")).to_have_text(
        "11 due · 0 new left today · progress last saved: never (see ⋯) · 12 of 12 cards started"
    )
    cards = record(page)["cards"]
    assert reviewed(cards.pop("g00/0"))
    assert cards == {card: entry for card, entry in ENTRIES.items() if card != "g00/0"}
    assert record(page)["days"] == {**DAYS, str(TODAY): [1, 0]}


def test_progress_that_was_forgotten_meanwhile_does_not_come_back_from_such_a_tab(tabs: Tabs) -> None:
    tabs.store(RECORD)
    other = tabs.open()
    wait_for_copy(other)
    page = cut_off(tabs)
    expect(page.locator("#status")).to_contain_text("12 due")
    study(page)
    wait_for_copy(page)
    page.close()
    tabs.at(NOON + timedelta(minutes=1))
    forget(other)
    tabs.send(other)
    page = tabs.open()
    wait_for_copy(page)
    assert status(page) == "0 due · 12 new left today · 0 of 12 cards started"
    assert record(page)["cards"] == {}


def test_a_browser_that_deleted_the_record_shows_the_copy(tabs: Tabs) -> None:
    tabs.store(RECORD)
    page = tabs.open()
    study(page)
    wait_for_copy(page)
    page.evaluate("key => localStorage.removeItem(key)", KEY)
    tabs.send(page)
    page = tabs.open()
    expect(page.locator("#status")).to_contain_text("11 due")
    study(page)
    assert record(page)["cards"].keys() == ENTRIES.keys()


def test_a_record_that_is_deleted_while_its_page_is_open_is_stored_again(tabs: Tabs) -> None:
    page = tabs.open()
    study(page)
    page.evaluate("key => localStorage.removeItem(key)", KEY)
    study(page)
    assert record(page)["cards"] == {"g00/0": GOOD, "g01/0": GOOD}


def test_a_copy_stands_in_for_a_record_that_cannot_be_read(tabs: Tabs) -> None:
    tabs.store(RECORD)
    page = tabs.open()
    wait_for_copy(page)
    page.close()
    newer = json.dumps({**RECORD, "ptcards": 3, "cards": {}})
    tabs.store(newer)
    page = tabs.open()
    expect(page.locator("#status")).to_contain_text("12 due")
    assert texts(page) == {KEY: newer}
    study(page)
    assert texts(page) == {KEY: texts(page)[KEY], UNREAD: newer}
    assert record(page)["cards"].keys() == ENTRIES.keys()


# Tabs


def study_card(page: Page, n: int, keys: str = "3") -> None:
    """Open a card by its address, and grade it."""
    page.evaluate(
        """name => new Promise(done => { // the page knows the address only after these events
          addEventListener("hashchange", ({ newURL }) => newURL.endsWith(name) && done());
          location.hash = "";
          location.hash = name;
        })""",
        f"g{n:02}/0",
    )
    expect(page.locator("#link")).to_have_attribute("href", f"#g{n:02}%2F0")
    study(page, keys)


def counts(page: Page, fresh: int, started: int) -> None:
    expect(page.locator("#status")).to_have_text(
        f"0 due · {12 - started} new left today · {started} of 12 cards started"
    )
    assert sum(new for _, new in stored(page)["days"].values()) == fresh


def test_two_tabs_in_turn_lose_nothing(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    for n in range(4):
        study_card((one, other)[n % 2], n)
        for page in (one, other):
            counts(page, n + 1, n + 1)
    assert record(other)["cards"] == {f"g{n:02}/0": GOOD for n in range(4)}
    assert record(other)["days"] == {str(TODAY): [4, 4]}


def test_two_tabs_at_the_same_moment_lose_nothing(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    for page, skipped in ((one, 0), (other, 6)):
        for _ in range(skipped):
            page.keyboard.press("ArrowRight")
        page.evaluate(
            """() => { for (let n = 0; n < 6; n += 1)
            setTimeout(() => document.querySelector("[data-grade=good]").click(), 100 + 3 * n) }"""
        )
    for page in (one, other):
        counts(page, 12, 12)
    assert record(other)["cards"] == {f"g{n:02}/0": GOOD for n in range(12)}
    assert record(other)["days"] == {str(TODAY): [12, 12]}


def test_an_answer_that_another_tab_stored_over_is_stored_again(tabs: Tabs) -> None:
    page = tabs.open()
    study_card(page, 0)
    study_card(page, 1)
    stale = {**RECORD, "cards": {"g00/0": GOOD, "g05/0": GOOD}, "days": {str(TODAY): [2, 2]}}
    tabs.store(stale)
    counts(page, 3, 3)
    assert record(page) == {
        **RECORD,
        "cards": {f"g{n:02}/0": GOOD for n in (0, 1, 5)},
        "days": {str(TODAY): [3, 3]},
    }


def test_going_back_takes_back_only_the_grade_of_its_own_tab(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    study_card(one, 0)
    counts(other, 1, 1)
    for n in range(3):
        study_card(other, n, "4")
    counts(one, 3, 3)
    theirs = record(other)["cards"]
    one.keyboard.press("ArrowLeft")
    tabs.send(one, other)
    assert record(other) == {**RECORD, "cards": theirs, "days": {str(TODAY): [3, 3]}}
    other.keyboard.press("ArrowLeft")
    other.keyboard.press("ArrowLeft")
    del theirs["g01/0"], theirs["g02/0"]
    assert record(other) == {**RECORD, "cards": theirs, "days": {str(TODAY): [1, 1]}}
    counts(one, 1, 1)


def test_going_back_reads_what_is_stored(tabs: Tabs) -> None:
    """A page does not hear of what it stores itself, just as if an event were late."""
    page = tabs.open()
    study_card(page, 0)
    later = {**RECORD, "cards": {"g00/0": GOOD, "g05/0": GOOD}, "days": {str(TODAY): [2, 2]}}
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, json.dumps(later)])
    page.keyboard.press("ArrowLeft")
    assert record(page) == {**RECORD, "cards": {"g05/0": GOOD}, "days": {str(TODAY): [1, 1]}}


def test_what_one_tab_takes_back_does_not_return_with_the_other(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    study_card(one, 0)
    study_card(one, 1)
    counts(other, 2, 2)
    one.keyboard.press("ArrowLeft")
    counts(other, 1, 1)
    study_card(other, 2)
    assert record(other)["cards"] == {"g00/0": GOOD, "g02/0": GOOD}
    assert record(other)["days"] == {str(TODAY): [2, 2]}


def test_what_one_tab_forgets_does_not_return_with_the_other(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    study_card(one, 0)
    study_card(one, 1)
    counts(other, 2, 2)
    tabs.at(NOON + timedelta(minutes=1))
    forget(other)
    counts(one, 0, 0)
    study_card(other, 1)
    counts(one, 1, 1)
    one.keyboard.press("ArrowLeft")
    study_card(one, 3)
    entry = [*GOOD[:4], AT + 60, 0, 0]
    assert record(one)["cards"] == {"g01/0": entry, "g03/0": entry}
    assert record(one)["days"] == {str(TODAY): [2, 2]}


def test_of_two_tabs_the_later_one_says_whether_a_note_is_suspended(tabs: Tabs) -> None:
    one = tabs.open()
    one.keyboard.press("!")
    tabs.send(one)
    other = tabs.open()
    study(other)
    tabs.send(other, one)
    study(one)
    assert record(one)["suspended"] == {"g00": [AT, 1]}
    other.click("#more")
    other.click("#suspended-rows button")
    tabs.send(other, one)
    study(one)
    assert record(one)["suspended"] == {"g00": [AT + 1, 0]}
    forget(one)
    assert "suspended" not in record(one)


def test_a_frozen_tab_takes_what_the_other_stored(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    study_card(one, 0)
    states = tabs.context.new_cdp_session(one)
    states.send("Page.setWebLifecycleState", {"state": "frozen"})
    for n in (1, 2):
        study_card(other, n)
    states.send("Page.setWebLifecycleState", {"state": "active"})
    study_card(one, 3)
    counts(other, 4, 4)
    assert record(other)["cards"] == {f"g{n:02}/0": GOOD for n in range(4)}


def test_a_page_that_is_gone_back_to_takes_what_the_other_tab_stored(tabs: Tabs) -> None:
    one, other = tabs.open(), tabs.open()
    study_card(one, 0)
    one.goto(tabs.file.with_name("empty.html").as_uri())
    study_card(other, 1)
    tabs.send(other, one)
    one.go_back()
    counts(one, 2, 2)
    study_card(one, 2)
    counts(other, 3, 3)
    assert record(other)["cards"] == {f"g{n:02}/0": GOOD for n in range(3)}


# Storage that fails


def test_what_a_full_storage_refuses_is_stored_once_there_is_room(tabs: Tabs, tmp_path: Path) -> None:
    page, other = tabs.open(), tabs.open()
    study_card(page, 0)
    counts(other, 1, 1)
    tabs.empty.evaluate(
        """() => {
          for (let n = 0, size = 4_000_000; size; n += 1)
            try { localStorage.setItem(`full${n}`, "x".repeat(size)); } catch { size = Math.floor(size / 2); }
        }"""
    )
    full = "this browser keeps no progress here: save it as a file"
    length = tabs.empty.evaluate("localStorage.length")
    until(lambda: page.evaluate("localStorage.length") == length)
    (tmp_path / "p.json").write_text(json.dumps({**RECORD, "cards": {"g05/0": KNOWN}}), encoding="utf-8")
    study_card(page, 1)
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text("1 card loaded from p.json.")
    assert full in status(page)
    assert record(page)["cards"] == {"g00/0": GOOD}
    tabs.empty.evaluate(
        "() => { for (const key of Object.keys(localStorage)) if (key.startsWith('full')) localStorage.removeItem(key) }"
    )
    until(lambda: other.evaluate("localStorage.length") == 2)
    study_card(other, 2)
    expect(page.locator("#status")).not_to_contain_text(full)
    assert record(page)["cards"] == {**{f"g{n:02}/0": GOOD for n in range(3)}, "g05/0": KNOWN}
    assert record(page)["days"] == {**DAYS, str(TODAY): [3, 3]}


def test_without_storage_a_session_lasts_as_long_as_its_page(tabs: Tabs) -> None:
    """A page from a `data:` address has no storage in Chromium."""
    page = tabs.context.new_page()
    page.goto(f"data:text/html;base64,{base64.b64encode(tabs.file.read_bytes()).decode()}")
    begin(page)
    study(page, "33")
    page.keyboard.press("ArrowLeft")
    assert status(page) == (
        "0 due · 11 new left today · this browser keeps no progress here: save it as a file"
        " · 1 of 12 cards started"
    )


# Numbers


def test_an_answer_is_later_than_the_one_before_even_if_the_clock_went_back(tabs: Tabs) -> None:
    page = tabs.open()
    study_card(page, 0, "1")
    tabs.at(NOON - timedelta(hours=2))
    study_card(page, 0)
    assert record(page)["cards"]["g00/0"][4] == AT + 1


def test_the_page_can_read_the_stability_that_it_stores(tabs: Tabs) -> None:
    """A clock that was wrong for years makes a memory look very stable."""
    tabs.store({**RECORD, "cards": {"g00/0": [300_000, 1, TODAY - 1, TODAY - 900_000, AT - 1, 0, 0]}})
    page = tabs.open()
    study(page, "4")
    assert record(page)["cards"]["g00/0"][0] == 365_000
