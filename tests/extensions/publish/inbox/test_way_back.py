"""From a learner who follows a deck in the real Anki, over a file or an issue, back into the Markdown."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from anki.collection import Collection

from addon.collection import Choices, apply_update, differences
from anki_backend import learner
from following import source_of
from ptcards.extensions.publish.subscription.suggestion import Suggestion, as_file, as_issue, suggestion_of
from pushing import Run
from releasing import Publisher, publisher

__all__ = ["publisher"]

SOURCE = """\
## What is a leaf?

A tensor. It has no history.

## Which ones?

- one
- two

## How?

```python
x = (1)
```

## What is in the table?

| a | b |
|---|---|
| 1 | 2 |

## The sky is {{c1::blue}}.

## Steps?
<!-- card: kind=sequence before=1 -->

1. forward
2. backward
"""
FORM = "https://example.org/issues/new"


class Form(NamedTuple):
    """What a learner changes in the field of a note, and what comes of it in the Markdown or the entry."""

    question: str
    field: str
    change: tuple[str, str]
    markdown: tuple[str, str] = ("", "")
    left: str = ""


PICTURE = "`paste-1.png` did not come along: ask {} for it, and put it into the note yourself"
FORMS = {
    "text": Form("leaf", "Answer", ("no history", "a history"), ("no history", "a history")),
    "bold": Form("leaf", "Answer", ("history", "<b>history</b>"), ("history", "**history**")),
    "space": Form("leaf", "Answer", ("A tensor", "A&nbsp;tensor"), ("A tensor", "A&nbsp;tensor")),
    "picture": Form("leaf", "Answer", ("A tensor", '<img src="paste-1.png"> A tensor'), left=PICTURE),
    "code": Form("How?", "Answer", (">1</", ">2</"), ("(1)", "(2)")),
    "broken code": Form("How?", "Answer", ("</span>)", "</span>"), ("(1)", "(1")),
    "cloze": Form("sky", "Answer", ("blue", "grey"), ("blue", "grey")),
    "table": Form("table", "Answer", (">2<", ">3<"), ("| 2 |", "| 3 |")),
    "list": Form(
        "Which", "Answer", ("<li>two</li>", "<li>two</li><li>three</li>"), ("- two", "- two\n- three")
    ),
    "item": Form("Steps?", "Answer", ("::backward", "::<b>back</b>"), ("2. backward", "2. **back**")),
    "new item": Form(
        "Steps?",
        "Answer",
        ("::backward}}", "::backward}}<br>{{c3::step}}"),
        ("2. backward", "2. backward\n3. step"),
    ),
    "question": Form(
        "leaf",
        "Question",
        ('<p class="heading">What is a leaf?</p>', "Is it?"),
        ("What is a leaf?", "Is it?"),
    ),
}


@dataclass
class Followed:
    """A released deck, and a learner who follows it."""

    publisher: Publisher
    col: Collection

    @property
    def source(self) -> Path:
        return self.publisher.folder / "a.md"

    def suggest(self, question: str, reason: str, field: str = "", *change: str) -> Suggestion:
        """Edit a note as a learner, and return what the window sends for it."""
        col = self.col
        (nid,) = (each for each in col.find_notes("") if question in " ".join(col.get_note(each).fields[:2]))
        note = col.get_note(nid)
        if field:
            old, new = change
            assert old in note[field], note[field]
            note[field] = note[field].replace(old, new)
            col.update_note(note)
        source = source_of(self.publisher.dist)
        return suggestion_of(source.feed, note.guid, reason, differences(col, source))


@pytest.fixture
def followed(tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> Iterator[Followed]:
    """Yield a released deck, and a learner who follows it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    publisher.write(a=SOURCE).publish_release("1", "--first")
    source = source_of(publisher.dist)
    with learner(tmp_path / "anna") as col:
        choices = Choices()
        apply_update(col, source, publisher.package, choices, work=tmp_path / "work", title="Update")
        yield Followed(publisher, col)


def sent(suggestion: Suggestion, way: str, folder: Path) -> tuple[Path, str]:
    """Return the file that arrives at the author, and how its sender is called."""
    if way == "file":
        file = folder / "fix.suggestion"
        file.write_bytes(as_file(suggestion))
        return file, "the sender of fix.suggestion"
    address, is_complete = as_issue(suggestion, FORM, "a title", "a deck")
    assert is_complete
    body = parse_qs(urlsplit(address).query)["body"][0]
    file = folder / "issues.json"
    file.write_text(json.dumps([{"number": 7, "title": "?", "author": {"login": "cat"}, "body": body}]))
    return file, "@cat"


@pytest.mark.parametrize("way", ["file", "issue"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_form_of_a_suggestion_arrives_and_is_accepted_or_left_with_a_reason(
    followed: Followed, ptcards: Run, tmp_path: Path, form: Form, way: str
) -> None:
    suggestion = followed.suggest(form.question, "See page 3.", form.field, *form.change)
    file, who = sent(suggestion, way, tmp_path)
    root, before = followed.publisher.folder, followed.source.read_text()
    (entry,) = json.loads(ptcards("inbox", root, file, "--format", "json").out)["entries"]
    assert (
        entry["state"],
        entry["reason"],
        entry["from"][0]["why"],
        [each["field"] for each in entry["edits"]],
    ) == (
        "left" if form.left else "clean",
        form.left.format(who),
        "See page 3.",
        [form.field],
    )
    assert ptcards("inbox", root, file, "--all-clean").status == 0
    assert followed.source.read_text() == (before if form.left else before.replace(*form.markdown))
    assert ptcards("build", root, "--accept").status == 0
    again = json.loads(ptcards("inbox", root, file, "--format", "json").out)["entries"]
    assert [each["state"] for each in again] == ["left" if form.left else "already"]
    assert ptcards("inbox", root, file, "--reject", entry["name"]).status == 0
    assert json.loads(ptcards("inbox", root, file, "--format", "json").out)["entries"] == []


@pytest.mark.parametrize("way", ["file", "issue"])
@pytest.mark.parametrize(
    "change", [(), ("Answer", "A tensor. It", "A tensor. &nbsp;It")], ids=["none", "space"]
)
def test_a_reason_without_a_changed_field_arrives_as_a_report(
    followed: Followed, ptcards: Run, tmp_path: Path, change: tuple[str, ...], way: str
) -> None:
    """Two spaces look like one, so they are no change."""
    file, _ = sent(followed.suggest("leaf", " It is wrong. ", *change), way, tmp_path)
    root = followed.publisher.folder
    (entry,) = json.loads(ptcards("inbox", root, file, "--format", "json").out)["entries"]
    assert (entry["state"], entry["marks"], entry["from"][0]["why"], entry["question"]) == (
        "mark",
        ["report"],
        "It is wrong.",
        "What is a leaf?",
    )
    assert ptcards("inbox", root, file, "--done", entry["name"]).status == 0
    assert json.loads(ptcards("inbox", root, file, "--format", "json").out)["entries"] == []


def test_the_fields_that_anki_and_ptcards_fill_are_never_suggested(followed: Followed) -> None:
    col = followed.col
    note = col.get_note(col.find_notes("history")[0])
    note["GUID"] = note["Topic"] = "mine"
    col.update_note(note)
    source = source_of(followed.publisher.dist)
    assert list(differences(col, source)) == []
