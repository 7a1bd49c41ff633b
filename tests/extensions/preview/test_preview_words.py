"""The pages (preview, study, reviews) take their words from one table, so that they can be translated."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import ptcards.diff
import ptcards.extensions.desktop.reviews
import ptcards.extensions.preview
import ptcards.extensions.publish.release
import ptcards.writers
from ptcards.notes.labels import interface, labels_of, languages

ROOM = Path(ptcards.extensions.preview.__file__).parent
PAGE = ROOM / "page"
STUDY = Path(ptcards.writers.__file__).parent / "study"
REVIEWS = Path(ptcards.extensions.desktop.reviews.__file__).parent / "page"
CHANGES = Path(ptcards.diff.__file__).parent / "page"
RELEASE = Path(ptcards.extensions.publish.release.__file__).parent / "page"
SAME_EVERYWHERE = re.compile(r"(?:ptcards|Space|Enter|Esc|Ctrl|[A-Z]|[\d/?!←→↑↓↶‹›✕☰◐– ])*")


class _Texts(HTMLParser):
    """Collects the text that a person reads on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.found += [given.get(name) or "" for name in ("title", "aria-label", "placeholder")]
        self.silent = tag if tag in ("script", "pre", "style") else ""

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data.strip())


@pytest.mark.parametrize(
    "page",
    [PAGE / "index.html", STUDY / "page.html", REVIEWS / "page.html", RELEASE / "page.html"],
    ids=lambda page: "/".join(page.parts[-3:-1]),
)
def test_the_page_holds_no_words_of_its_own(page: Path) -> None:
    texts = _Texts()
    texts.feed(re.sub(r"\{\{\w+\}\}", "", page.read_text("utf-8")))
    assert [text for text in texts.found if not SAME_EVERYWHERE.fullmatch(text)] == []


def _asked(page: Path, scripts: str) -> set[str]:
    asked = set(re.findall(r"\{\{(\w+)\}\}", page.read_text("utf-8")))
    for one, other in re.findall(r'\bsay\((?:[^"`]*? \? )?"(\w+)"(?: : "(\w+)")?', scripts):
        asked |= {one, other} - {""}
    return asked


def test_every_word_that_the_preview_asks_for_is_in_the_table() -> None:
    scripts = "".join(file.read_text("utf-8") for file in sorted(PAGE.glob("*.js")))
    asked = _asked(PAGE / "index.html", scripts)
    for name in re.findall(r'\bmany\("(\w+)"', scripts):
        asked |= {name, f"{name}_one"}
    asked |= set(re.findall(r'_said\("(\w+)"', (ROOM / "pages.py").read_text("utf-8")))
    asked |= {"card_question", "card_reversed", "card_cloze"}
    asked |= {
        f"{no}{done}"
        for no in ("", "not_")
        for done in ("fixed", "undone", "accepted", "rejected", "box_written")
    }
    sources = "".join((ROOM / name).read_text("utf-8") for name in ("slow_requests.py", "session.py"))
    asked |= set(re.findall(r'interface\("preview"\)\["(\w+)"\]', sources))
    assert re.findall(r'"refused": "', sources) == []
    assert asked - interface("preview").keys() == set()
    quoted = {*re.findall(r'"(\w+)"', scripts)}
    built = [re.sub(r"\$\{[^}]*\}", "[\\\\w ]+", name) for name in re.findall(r"say\(`([^`]*)`", scripts)]
    unused = interface("preview").keys() - asked - quoted - {f"{name}_one" for name in quoted}
    assert [name for name in sorted(unused) if not any(re.fullmatch(each, name) for each in built)] == []


def test_every_word_that_the_page_to_study_asks_for_is_in_the_table_and_no_other() -> None:
    scripts = "".join(file.read_text("utf-8") for file in sorted(STUDY.glob("*.js")))
    asked = _asked(STUDY / "page.html", scripts)
    for name in re.findall(r'\bmany\(.*?, "(\w+)"\)', scripts):
        asked |= {name, f"{name}_one"}
    asked |= {f"kind_{kind}" for kind in ("basic", "reversed", "typed", "choice", "cloze")}
    asked |= {f"level_{level}" for level in ("easy", "medium", "hard")} | {"exam_wrong", "exam_right"}
    asked |= {f"verdict_{verdict}" for verdict in ("right", "close", "wrong")} | {"enter", "space"}
    slots = {"lang", "policy", "title", "style", "script", "data"}
    assert asked - slots - interface("study").keys() - labels_of("en").keys() == set()
    assert interface("study").keys() - asked == set()
    assert interface("study").keys() & labels_of("en").keys() == set()


def test_every_word_that_the_page_about_reviews_asks_for_is_in_the_table_and_no_other() -> None:
    script = (REVIEWS / "page.js").read_text("utf-8")
    asked = _asked(REVIEWS / "page.html", script)
    for name in re.findall(r'\bmany\(.*?, "(\w+)"\)', script):
        asked |= {name, f"{name}_one"}
    slots = {"policy", "title", "style", "script", "data"}
    assert asked - slots | {"heading"} == interface("reviews").keys()
    quoted = re.findall(r'"([^"\n]*)"|`([^`\n]*)`', re.sub(r"(?m)^//.*$", "", script))
    texts = [re.sub(r"\$\{[^}]*\}", "", one or other) for one, other in quoted]
    assert [text for text in texts if re.search(r"[A-Z][a-z]|[a-z] [a-z]", text)] == []


def test_every_word_that_the_page_of_a_release_asks_for_is_in_the_table_and_no_other() -> None:
    asked = _asked(RELEASE / "page.html", (RELEASE / "page.js").read_text("utf-8"))
    sources = (RELEASE.parent / "site.py").read_text("utf-8")
    for one, other in re.findall(r'words\[["\'](\w+)["\'](?: if \w+ else "(\w+)")?\]', sources):
        asked |= {one, other} - {""}
    for name in re.findall(r'_many\(.*?, "(\w+)", words\)', sources):
        asked |= {name, f"{name}_one"}
    slots = {"lang", "policy", "title", "style", "script", "data", "package", "size", "study_page"}
    slots |= {"name", "deck_lang", "facts", "topic_list", "changes", "notes_file", "atom", "releases"}
    slots |= {"edition_list", "hidden", "one_topic"}
    asked |= {"title_back", "title_reworded", "question"}  # by the names of the kinds of changes and of parts
    shared = interface("changes").keys() - interface("release").keys() | labels_of("en").keys()
    assert asked - slots - shared == interface("release").keys()


def test_every_word_that_the_page_of_changes_asks_for_is_in_the_table_and_no_other() -> None:
    scripts = "".join((CHANGES / name).read_text("utf-8") for name in ("page.js", "versions.js"))
    asked = _asked(CHANGES / "page.html", scripts)
    for name in re.findall(r'\bmany\(.*?, "(\w+)"\)', scripts):
        asked |= {name, f"{name}_one"}
    sources = "".join(
        (CHANGES.parent / f"{name}.py").read_text("utf-8") for name in ("changed_cards", "changes_page")
    )
    asked |= set(re.findall(r"words\[[\"'](\w+)[\"']\]", sources)) | {"front", "back", "before", "now"}
    slots = {"lang", "policy", "title", "style", "script", "data", "summary", "step", "left_out", "changes"}
    assert asked - slots == interface("changes").keys()


def test_words_have_the_quotation_marks_and_apostrophes_of_print() -> None:
    tables = [
        *map(interface, ("preview", "study", "reviews", "release", "changes")),
        *map(labels_of, languages()),
    ]
    assert [word for table in tables for word in table.values() if re.search("[\"']", word)] == []
