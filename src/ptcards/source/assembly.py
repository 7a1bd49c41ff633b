"""Combines the sources of a collection: assigns keys to notes, describes decks and reports duplicates.

It also orders the decks, and drops the diagnostics that the collection and its notes ignore.

Keys and checks only need the summaries of notes, not their texts.
"""

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, error, warning
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.files.inputs import shown
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.lock import Fingerprint
from ptcards.notes import Note, levels_of
from ptcards.notes.rendered import IN_ORDER, LICENSE, Deck
from ptcards.source.collection import Collection
from ptcards.source.config import Config
from ptcards.source.exclude import is_excluded, read_pattern
from ptcards.source.source import DeckText, MediaUse, ParsedSource
from ptcards.source.valid_names import LANGUAGE, MAX_DECK_LEVELS


def check_media_names(uses: Sequence[MediaUse]) -> list[Diagnostic]:
    """Return an error for each file that has the same name in Anki as another file.

    Learners would see one of the two in both places. Names contain 32 bits of the content's digest, so
    different files rarely clash by chance.
    """
    diagnostics = []
    named: dict[str, MediaUse] = {}
    for use in uses:
        # Anki's media folder ignores case on Windows and macOS.
        first = named.setdefault(use.name.casefold(), use)
        if first.digest != use.digest:
            message = (
                f"`{shown(Path(use.file))}` and `{shown(Path(first.file))}` ({first.place}) have "
                "the same name in Anki"
            )
            fix = "rename one of the two files"
            diagnostics.append(error(use.place, "media-name-clash", message, fix, use.length))
    return diagnostics


def check_decks(decks: Sequence[DeckText]) -> list[Diagnostic]:
    """Return errors for deck names that Anki treats as the same, and for decks with two descriptions."""
    diagnostics = []
    spelled: dict[str, tuple[str, Location]] = {}
    described: dict[str, Location] = {}
    for deck in decks:
        levels = deck.name.split("::", MAX_DECK_LEVELS)[:MAX_DECK_LEVELS]  # deeper ones are errors
        for depth in range(1, len(levels) + 1):
            name = "::".join(levels[:depth])
            first, place = spelled.setdefault(
                unicodedata.normalize("NFC", name).casefold(), (name, deck.place)
            )
            if first != name:
                message = (
                    f"{_spelling(name, first)} and {_spelling(first, name)} "
                    f"({place.path}:{place.line}) are the same deck to Anki"
                )
                diagnostics.append(
                    error(deck.place, "deck-name-clash", message, "spell both the same way, or rename one")
                )
        if deck.description and (first_place := described.setdefault(deck.name, deck.place)) != deck.place:
            message = f"the deck `{deck.name}` already has a description at {first_place}"
            diagnostics.append(
                error(
                    deck.place,
                    "description-twice",
                    message,
                    "merge the two descriptions into one",
                )
            )
    return diagnostics


def _spelling(name: str, other: str) -> str:
    """Return a name in backticks, with its distinctive code points if it looks the same as the other name."""
    points = [
        f"U+{ord(char):04X}" for char in dict.fromkeys(name) if char not in other and not char.isascii()
    ]
    alike = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", other)
    return f"`{name}` ({', '.join(points)})" if alike and points else f"`{name}`"


class PublishedId(NamedTuple):
    """A note that learners have, by its id in lower case and the digest of its question."""

    id: str
    question: str

    @classmethod
    def of(cls, fingerprint: Fingerprint) -> Self:
        """Return the note with this fingerprint."""
        return cls(fingerprint.id.casefold(), fingerprint.question)


def check_duplicates(
    summaries: Sequence[NoteSummary],
    lenient: Container[str] = (),
    published: Callable[[], Container[PublishedId]] = tuple,
) -> list[Diagnostic]:
    """Return an error for each id and each question that another note already has.

    In a source whose path is in `lenient`, a repeated question is only a warning. `published` returns the
    notes that learners have: of notes with the same id, such a note keeps it.
    """
    diagnostics = []
    ids: dict[str, list[NoteSummary]] = {}
    questions: dict[str, NoteSummary] = {}
    for summary in summaries:
        if name := summary.fingerprint.id:
            ids.setdefault(name.casefold(), []).append(summary)
        if summary.asked and (first := questions.setdefault(summary.asked, summary)) is not summary:
            message = f"this question is already asked at {first.location}"
            fix = "reword one of them, or remove it"
            make = warning if summary.location.path in lenient else error
            diagnostics.append(
                make(
                    summary.heading_place,
                    "duplicate-question",
                    message,
                    fix,
                    summary.heading_length,
                )
            )
    twice = [notes for notes in ids.values() if len(notes) > 1]
    owners = published() if twice else ()
    return [*diagnostics, *(found for notes in twice for found in _same_id(notes, owners))]


def _same_id(notes: Sequence[NoteSummary], published: Container[PublishedId]) -> Iterator[Diagnostic]:
    """Yield an error for each of these notes with the same id but the published one, or else the first."""
    known = [note for note in notes if PublishedId.of(note.fingerprint) in published]
    first = known[0] if len(known) == 1 else notes[0]
    for note in notes:
        if note is not first:
            name = note.fingerprint.id
            message = f"the id `{name}` is already used at {first.location}"
            fix = "change one of the two ids, but not one that is already published"
            if known == [first]:
                message = f"the id `{name}` belongs to the published note at {first.location}"
                fix = "give this note another id"
            if code := _language_between(note.location.path, first.location.path):
                fix = f'if one file translates the other, write `{code} = "…"` in `[languages]`; else, {fix}'
            yield error(note.id_place or note.location, "duplicate-id", message, fix, len(name))


def _language_between(one: str, other: str) -> str:
    """Return the language if one source is named as a translation of the other, like `tensors.de.md`."""
    short, long = sorted((one, other), key=len)
    code = long.removeprefix(f"{short[:-3]}.")[:-3]
    return code if long == f"{short[:-3]}.{code}{short[-3:]}" and LANGUAGE.fullmatch(code) else ""


def check_draft_links(sources: Sequence[tuple[str, ParsedSource]]) -> Iterator[Diagnostic]:
    """Yield an error for each link to the heading of a draft; each source comes with its name."""
    drafts = {
        (name, _anchor(draft.fingerprint.heading)): draft.location
        for name, parsed in sources
        for draft in parsed.draft_summaries
    }
    for name, parsed in sources if drafts else ():
        for link in parsed.anchor_links:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link.file))
            place = drafts.get((target if link.file else name, link.anchor.casefold()))
            if place:
                message = f"this link leads to a draft at {place}"
                fix = "accept the draft, or remove the link"
                yield error(link.place, "link-to-draft", message, fix, link.length)


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading).casefold().replace(" ", "-")


def find_keys(summaries: Sequence[NoteSummary], before: Iterable[str] = ()) -> list[str]:
    """Return the key of each note: its id, or a unique slug of the question.

    No slug is one of the keys given `before`.

    Slugs do not contain `~`, so a key with a number never equals the slug of another question.
    """
    taken = {summary.fingerprint.id.casefold() for summary in summaries if summary.fingerprint.id}
    taken.update(key.casefold() for key in before)
    numbers: dict[str, int] = {}
    keys = []
    for summary in summaries:
        key = summary.fingerprint.id
        if not key:
            key = summary.slug
            # Continue from this slug's last number, so that thousands of equal questions take linear time.
            number = numbers.get(key, 2)
            while key in taken:
                key, number = f"{summary.slug}~{number}", number + 1
            numbers[summary.slug] = number
            taken.add(key)
        keys.append(key)
    return keys


def describe(config: Config | None, decks: Sequence[DeckText]) -> tuple[Deck, ...]:
    """Return the decks with their descriptions.

    The root deck's description comes from `deck.toml`. Below it are how to study in `order` and the licence,
    which are alone in the root decks of translations.
    """
    described: dict[str, Deck] = {}
    if config is not None:
        lines = [IN_ORDER if config.order else "", f"{LICENSE}{config.license}" if config.license else ""]
        lines = list(filter(None, lines))
        description = "\n\n".join(filter(None, (config.description.strip(), *lines)))
        if config.description_html:
            description = config.description_html + "".join(f"<p>{escape(line)}</p>" for line in lines)
        described[config.name] = Deck(config.name, description, is_html=bool(config.description_html))
        roots = [each.title for each in config.editions if each.language]
        described |= {root: Deck(root, "\n\n".join(lines)) for root in roots}
    for deck in decks:
        if deck.name not in described or not described[deck.name].description:
            described[deck.name] = Deck(deck.name, deck.description)
    return tuple(described.values())


def assemble(sources: Sequence[ParsedSource]) -> tuple[tuple[Note, ...], list[Diagnostic]]:
    """Return the notes and drafts of a collection's sources, and diagnostics, including conflicts."""
    notes = [note for source in sources for note in (*source.notes, *source.draft_notes)]
    summaries = [summary for source in sources for summary in source.all_summaries]
    decks = [deck for source in sources for deck in source.decks]
    diagnostics = [diagnostic for source in sources for diagnostic in source.diagnostics]
    uses = [use for source in sources for use in source.media]
    diagnostics += [*check_decks(decks), *check_duplicates(summaries), *check_media_names(uses)]
    keyed = (
        note if note.key == key else note._replace(key=key)
        for note, key in zip(notes, find_keys(summaries), strict=True)
    )
    return tuple(keyed), diagnostics


class Ignoring(Protocol):
    """Something that begins at a location and ignores rules, such as a note."""

    @property
    def location(self) -> Location:
        """The location where it begins."""

    @property
    def ignore(self) -> tuple[str, ...]:
        """The rules that it ignores."""


N = TypeVar("N", bound=Ignoring)


class Owners(Generic[N]):
    """Finds the note that a location belongs to: the last note in the file that begins there or above."""

    def __init__(self, notes: Iterable[N]) -> None:
        self._starts: dict[str, list[int]] = {}
        self._notes: dict[str, list[N]] = {}
        for note in notes:
            self._notes.setdefault(note.location.path, []).append(note)
        for path, found in self._notes.items():
            found.sort(key=lambda note: note.location.line)  # drafts come after all notes
            self._starts[path] = [note.location.line for note in found]

    def find(self, place: Location) -> N | None:
        """Return the note at a location, or `None` above the first note."""
        which = bisect_right(self._starts.get(place.path, []), place.line)
        return self._notes[place.path][which - 1] if which else None


def silence(
    collection: Collection | None, notes: Iterable[N], diagnostics: Iterable[Diagnostic]
) -> tuple[list[Diagnostic], frozenset[tuple[N | str | None, str]]]:
    """Return the diagnostics that neither a collection (if given) nor its notes ignore, and the used ignores.

    An ignore is a rule with the note that ignores it, with `None` for the collection's list, or with a
    pattern of `per-file-ignores`.
    """
    diagnostics = list(diagnostics)
    if not diagnostics:
        return [], frozenset()
    owners = Owners(notes)
    everywhere = frozenset(collection.config.check.ignore if collection else ())
    here = _ignored_by_file(collection) if collection else {}
    files = frozenset(_files(collection) if collection else ())
    kept: list[Diagnostic] = []
    used: set[tuple[N | str | None, str]] = set()
    for diagnostic in diagnostics:
        note = owners.find(diagnostic.location)
        if diagnostic.severity is Severity.ERROR and Trait.IGNORABLE not in diagnostic.traits:
            kept.append(diagnostic)
        elif note is not None and diagnostic.rule in note.ignore:
            used.add((note, diagnostic.rule))
        elif diagnostic.rule in everywhere and diagnostic.location.path in files:
            used.add((None, diagnostic.rule))
        elif patterns := here.get((diagnostic.location.path, diagnostic.rule)):
            used.update((pattern, diagnostic.rule) for pattern in patterns)
        else:
            kept.append(diagnostic)
    return kept, frozenset(used)


def _files(collection: Collection) -> Iterator[str]:
    """Yield the paths of the files in which a collection may ignore rules."""
    yield from (source.path for source in collection.sources)
    yield from (shown(collection.root / name) for name in ("deck.toml", "deck.lock"))


def _ignored_by_file(collection: Collection) -> dict[tuple[str, str], list[str]]:
    """Return the patterns of `per-file-ignores` that ignore a rule in a file, by path and rule."""
    found: dict[tuple[str, str], list[str]] = {}
    for text, rules in collection.config.check.per_file_ignores.items():
        pattern = read_pattern(text)
        for source in collection.sources if pattern else ():
            names = source.name.split("/")
            folders = ("/".join(names[:depth]) + "/" for depth in range(1, len(names)))
            if pattern and any(is_excluded(path, [pattern]) for path in (*folders, source.name)):
                for rule in rules:
                    found.setdefault((source.path, rule), []).append(text)
    return found


class DeckOrder(NamedTuple):
    """The positions (from 0) of the decks that `order` names, by their full names."""

    places: Mapping[str, int]

    @classmethod
    def of(cls, config: Config) -> Self:
        """Return the order that a collection's settings name; if a deck is named twice, the first counts."""
        roots = (config.name, *(each.title for each in config.editions if each.language))
        names = dict.fromkeys(f"{root}::{deck}" for root in roots for deck in config.order)
        return cls({name: place for place, name in enumerate(names)})

    def place(self, deck: str) -> int:
        """Return the position of a deck: its own, or that of its nearest parent that is named.

        All other decks come after the named ones, in the same position, which leaves them in source order.
        """
        while deck and deck not in self.places:
            deck = deck.rpartition("::")[0]
        return self.places.get(deck, len(self.places))


def unknown_decks(
    config: Config, decks: Iterable[str], place: Callable[[str], Location]
) -> Iterator[Diagnostic]:
    """Yield a warning for each name in `order` that is neither one of the `decks` nor a parent of one.

    `place` returns the location of a name in `order`.
    """
    root = f"{config.name}::"
    known = {name for deck in decks for name in levels_of(deck.removeprefix(root))}
    for name in dict.fromkeys(config.order):
        if name not in known:
            fix = did_you_mean(name, known, f"name a deck below `{config.name}`, or remove the name")
            message = f"`order` names `{name}`, but no deck has this name"
            yield warning(place(name), "no-such-deck", message, fix, len(name))
