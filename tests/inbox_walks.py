"""Random edits of learners: an accepted one gives exactly the learner's field, any other says why not."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple

from building import build
from inbox_decks import DECKS
from ptcards.compile import BuildOptions, prepared
from ptcards.diagnostics import errors_in
from ptcards.extensions.desktop.merge.item_lists import find_list, with_plain_list
from ptcards.extensions.desktop.merge.texts import is_same_html
from ptcards.extensions.publish.inbox import EntryState, InboxCollection
from ptcards.extensions.publish.inbox.suggestions import Sender, SentEdits
from ptcards.workspace import ReadOptions

_NOT_OF_THE_AUTHOR = frozenset({"GUID", "Topic", "Reversed", "Difficulty"})
"""The fields that ptcards fills."""
_OPTIONS = ("Answer", "Choices")
"""The fields that both show the options of a choice."""
_NO_TEXT = re.compile(
    r"(<strong>Extra</strong>|<span class=\"mark\">.*?</span>|<p class=\"choose\">.*?</p>|<sup\b.*?</sup>|<[^<>]*>|\\\(.*?\\\)|\\\[.*?\\\]"
    r"|\[sound:[^\]]*\]|\{\{c\d+::|::|\}\}|&#?\w+;)",
    re.DOTALL,
)
"""What is not the author's running text: tags, formulas, labels, and the marks of clozes."""
_A_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"(?:(?<=^)|(?<=[.!?] ))[^\W\d_][^.!?]*[.!?]")
_WORDS = ("shares", "tensors", "never", "Quickly", "größer", "2024", "it's", "well-known")
_SENTENCES = ("It is so.", "This was wrong before!", "Is it? See page 7.", "More (or less) of it.")
_ODD = ("the *new* one", "2 < 3", "x_y_z", "# sharp", "{{c1::typed}}", "`tick", "1. one", "a | b", "$5 & $6")
_CODE = re.compile(r"(?<=<code>)[^<>]+|<pre\b(?:(?!</pre>|</code>).)*", re.DOTALL)
_BROKEN = ("(", "\n  x", "“a”", ":", " # so")
"""What breaks code in Python, and what does not."""
PLAIN = tuple(
    f"{thing} {change}" for thing in ("word", "sentence") for change in ("changed", "added", "removed")
)
"""The kinds of plain text edits."""
OTHERS = (
    "odd text",
    "bold",
    "Enter",
    "paragraph",
    "item",
    "gone",
    "two fields",
    "code",
    "colour",
    "picture",
    "script",
)
NEVER = frozenset({"script", "colour", "picture"})
"""The kinds of edits that no Markdown expresses."""


class Place(NamedTuple):
    """A stretch of the author's text in a field's HTML."""

    start: int
    end: int


def _texts(html: str) -> list[Place]:
    """Return the stretches of text in HTML that the author wrote."""
    found, at = [], 0
    for number, part in enumerate(_NO_TEXT.split(html)):
        if number % 2 == 0 and _A_WORD.search(part):
            found.append(Place(at, at + len(part)))
        at += len(part)
    return found


def edited(html: str, kind: str, dice: random.Random) -> str | None:
    """Return HTML with one edit as Anki's editor makes it, or `None` if it has no place for this kind."""
    if kind == "code":
        found = list(_CODE.finditer(html))
        at = dice.choice(found).end() if found else -1
        return html[:at] + dice.choice(_BROKEN) + html[at:] if found else None
    if kind == "gone":
        return dice.choice(("", "<br>"))
    added = {
        "script": "<script>alert(1)</script>",
        "picture": '<img src="paste-1.png">',
        "Enter": f"<div>{dice.choice(_SENTENCES)}</div>",
        "paragraph": f"<p>{dice.choice(_SENTENCES)}</p>",
    }
    if kind in added:
        return html + added[kind]
    if kind == "item" and (listed := find_list(html)):
        items = list(listed.items)
        one = max(listed.numbers) + 1, dice.choice(_SENTENCES)
        change = dice.choice(("add", "move", "remove"))
        if change != "add":
            one = items.pop(dice.randrange(len(items)))
        if change != "remove":
            items.insert(dice.randrange(len(items) + 1), one)
        return listed._replace(items=tuple(items)).field
    if kind == "item":
        end = html.rfind("</li></ul>") if "</li></ul>" in html else html.rfind("</li>\n</ul>")
        return None if end < 0 else f"{html[:end]}</li><li>{dice.choice(_WORDS)}{html[end:]}"
    places = _texts(html)
    if not places:
        return None
    place = dice.choice(places)
    text = html[place.start : place.end]
    new = _changed(text, kind, dice)
    return None if new is None else html[: place.start] + new + html[place.end :]


def _changed(text: str, kind: str, dice: random.Random) -> str | None:
    """Return text with one edit, or `None` if it has no place for this kind."""
    thing, _, change = kind.partition(" ")
    if kind == "sentence added":
        sentence = dice.choice(_SENTENCES)
        found = list(_SENTENCE.finditer(text))
        at = dice.choice(found).end() if found else len(text.rstrip())
        return f"{text[:at]} {sentence}{text[at:]}"
    found = list((_SENTENCE if thing == "sentence" else _A_WORD).finditer(text))
    if not found or (change == "removed" and len(_A_WORD.findall(text)) < 2):
        return None
    start, end = dice.choice(found).span()
    if change == "removed":
        before, after = text[:start], text[end:]
        if not (before + after).strip():
            return None
        return before + (after.removeprefix(" ") if before.endswith(" ") or not before else after)
    if change == "added":
        return f"{text[:start]}{dice.choice(_WORDS)} {text[start:]}"
    if kind == "bold":
        return f"{text[:start]}<b>{text[start:end]}</b>{text[end:]}"
    if kind == "colour":
        return f'{text[:start]}<span style="color: red">{text[start:end]}</span>{text[end:]}'
    new = {"word": _WORDS, "sentence": _SENTENCES}.get(thing, _ODD)
    return text[:start] + escape(dice.choice(new), quote=False) + text[end:]


@contextmanager
def inbox(root: Path) -> Iterator[InboxCollection]:
    """Yield the collection in a folder."""
    options = BuildOptions(None, (), dry_run=True)
    with (
        ReadOptions.of_user(lambda _: None) as reading,
        prepared([root], options, reading, waiting=lambda _: None) as found,
    ):
        yield InboxCollection(found.plans[0])


def notes_of(root: Path) -> Mapping[str, tuple[tuple[str, ...], tuple[object, ...]]]:
    """Return the fields of all notes by GUID, as a build writes them, with what else a build writes."""
    with inbox(root) as collection:
        return {
            guid: (note.fields, (note.row.note_type, note.deck, note.tags, note.row.ordinals))
            for guid, note in collection.ours.items()
        }


@dataclass
class Tally:
    """How many edits of each kind came, and were written; why others were left, and what was wrong."""

    came: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    by_deck: dict[str, Counter[str]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the results of other edits."""
        self.came += other.came
        self.written += other.written
        for deck, counts in other.by_deck.items():
            self.by_deck[deck] = self.by_deck.get(deck, Counter()) + counts
        self.left += other.left
        self.wrong += other.wrong

    @property
    def plain(self) -> tuple[int, int]:
        """How many plain text edits were written, and how many came."""
        return sum(self.written[kind] for kind in PLAIN), sum(self.came[kind] for kind in PLAIN)


class InboxWalk:
    """Learners who edit the notes of one deck, one edit after another, each of the deck as it was built."""

    def __init__(self, root: Path, name: str, seed: object) -> None:
        self._root, self._name = root, name
        self._dice = random.Random(repr((seed, name)))
        self.tally = Tally(by_deck={name: Counter()})
        DECKS[name](root)
        with ReadOptions.of_user(lambda _: None) as reading:
            built, found = build([root], BuildOptions(root / "out"), reading, waiting=lambda _: None)
        assert (len(built), [each for each in found if each.severity == "error"]) == (1, [])
        self._files = self._now()
        before = notes_of(root)
        self._before = {guid: fields for guid, (fields, _) in before.items()}
        self._facts = {guid: facts for guid, (_, facts) in before.items()}

    def run(self, steps: int) -> Tally:
        """Apply edits, and return what became of them."""
        with inbox(self._root) as collection:
            done = 0
            while done < steps:
                done += self._step(collection)
        return self.tally

    def accept_all(self, count: int) -> None:
        """Accept every clean one of many edits at once; a build must take what is written."""
        with inbox(self._root) as collection:
            sent: list[SentEdits] = []
            while len(sent) < count:
                kind = self._dice.choice((*PLAIN, *OTHERS, *["code"] * 20))
                guid = self._dice.choice(sorted(self._before))
                names, fields = collection.ours[guid].names, self._before[guid]
                changes = self._changes(names, fields, kind)
                edit = {names[place]: (fields[place], text) for place, text in changes.items()}
                sent += [SentEdits(guid, edit, Sender("test"))] if edit else []
            entries = collection.judge(sent)
            clean = [each for each in entries if each.state is EntryState.CLEAN]
            left = collection.accept(clean, force=True)
        self.tally.came["at once"] += len(clean)
        self.tally.written["at once"] += len(clean) - len(left)
        with ReadOptions.of_user(lambda _: None) as reading:
            _, found = build([self._root], BuildOptions(self._root / "out"), reading, waiting=lambda _: None)
        self.tally.wrong += [f"{self._name}: {each}" for each in errors_in(found)]

    def _step(self, collection: InboxCollection) -> bool:
        """Apply one edit; return whether there was a place for it."""
        dice, tally = self._dice, self.tally
        kind = dice.choice((*PLAIN, *PLAIN, *OTHERS))
        guid = dice.choice(sorted(self._before))
        changes = self._changes(collection.ours[guid].names, self._before[guid], kind)
        if not changes:
            return False
        names, fields = collection.ours[guid].names, self._before[guid]
        sent = {names[place]: (fields[place], text) for place, text in changes.items()}
        (entry,) = collection.judge([SentEdits(guid, sent, Sender("test"))])
        if entry.state is EntryState.ALREADY:
            if not all(is_same_html(fields[place], text) for place, text in changes.items()):
                tally.wrong.append(f"{self._name}: called already so: {changes}")
            return False
        tally.came[kind] += 1
        tally.by_deck[self._name][f"{kind} came"] += 1
        left = collection.accept([entry], force=True)
        if left:
            tally.left[f"{kind}: {left[0].reason}"] += 1
            if not left[0].reason or self._now() != self._files:
                tally.wrong.append(f"{self._name}: left without a reason, or written: {changes}")
        else:
            tally.written[kind] += 1
            tally.by_deck[self._name][f"{kind} written"] += 1
            wrong = kind == "script" or not self._is_exactly(guid, changes, names)
            tally.wrong += [f"{self._name}: not exactly: {kind} {changes}"] if wrong else []
        for file, content in self._files.items():
            file.write_bytes(content)
        return True

    def _changes(self, names: tuple[str, ...], fields: tuple[str, ...], kind: str) -> dict[int, str]:
        """Return the new texts of one field or two, by place; none if there is no place for this kind."""
        places = [
            place
            for place, text in enumerate(fields)
            if text and names[place] not in _NOT_OF_THE_AUTHOR and text != self._guid_of(fields, names)
        ]
        chosen = self._dice.sample(places, min(len(places), 2 if kind == "two fields" else 1))
        kinds = {place: self._dice.choice(PLAIN) if kind == "two fields" else kind for place in chosen}
        made = {place: edited(fields[place], each, self._dice) for place, each in kinds.items()}
        return (
            {} if None in made.values() else {place: text for place, text in made.items() if text is not None}
        )

    @staticmethod
    def _guid_of(fields: tuple[str, ...], names: tuple[str, ...]) -> str:
        return fields[names.index("GUID")] if "GUID" in names else "\0"

    def _now(self) -> dict[Path, bytes]:
        """Return the files of the deck, without its outputs."""
        files = (file for file in self._root.rglob("*") if file.is_file())
        return {file: file.read_bytes() for file in files if "out" not in file.parts}

    def _is_exactly(self, guid: str, changes: Mapping[int, str], names: tuple[str, ...]) -> bool:
        """Whether the deck has the learner's fields, and nothing else changed.

        The options of a choice are in two fields: after an edit of one, the other may show the new option.
        """
        notes = notes_of(self._root)
        after = {other: fields for other, (fields, _) in notes.items()}
        facts = {other: facts for other, (_, facts) in notes.items()}
        # which cards it has follows from its fields
        if any(text in ("", "<br>") or find_list(text) for text in changes.values()):
            facts[guid] = (*facts[guid][:-1], self._facts[guid][-1])
        if facts != self._facts:
            return False
        for other, fields in self._before.items():
            expected = list(fields)
            if other == guid:
                expected = [changes.get(place, text) for place, text in enumerate(fields)]
                if (place := self._follower(changes, names)) is not None:
                    expected[place] = _followed(fields, after[guid], place, names)
            if not all(map(_is_same, after[other], expected)):
                return False
        return True

    def _follower(self, changes: Mapping[int, str], names: tuple[str, ...]) -> int | None:
        """Return the place of the field that shows the options of an edited field too."""
        places = [names.index(name) for name in _OPTIONS if name in names]
        unchanged = [place for place in places if place not in changes]
        return unchanged[0] if len(places) == len(_OPTIONS) and len(unchanged) == 1 else None


def _is_same(one: str, other: str) -> bool:
    """Whether two fields show the same, and the items of their lists have the same numbers."""
    numbers, others = (found.numbers if (found := find_list(each)) else () for each in (one, other))
    return numbers == others and is_same_html(with_plain_list(one), with_plain_list(other))


def _followed(before: tuple[str, ...], after: tuple[str, ...], place: int, names: tuple[str, ...]) -> str:
    """Return a field that was not edited with the options of the one that was."""
    number = names.index("Choices")
    if not before[number]:
        return before[place]
    options = [
        [line for line in fields[number].split("\n") if line.startswith("<li>")] for fields in (before, after)
    ]
    text = before[place]
    for old, new in zip(*options, strict=True):
        inside = (
            old.removeprefix("<li>").removesuffix("</li>"),
            new.removeprefix("<li>").removesuffix("</li>"),
        )
        if inside[0] not in before[names.index("Answer")] or inside[1] not in after[names.index("Answer")]:
            return "the two fields have different options"
        text = text.replace(*inside, 1)
    return text
