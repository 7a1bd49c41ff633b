"""Decides what a push does, as a pure function of the sources, Anki and the record of the last push."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from ptcards.extensions.desktop.merge.compare import (
    NOT_KNOWN,
    AnkiState,
    Change,
    Ours,
    Overrides,
    Publications,
    PushRecord,
    Retired,
    Styling,
    compare,
)
from ptcards.identity.lock import deck_key


class Move(NamedTuple):
    """Cards of a note that are in a different deck than in the sources."""

    ours: Ours
    origin: str
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What a push does; each list is in the order of the sources.

    `changes` contains every note that was compared. `stays` contains cards that their owner moved, `filtered`
    cards in a filtered deck, which cannot be moved now, and `gone` notes that were deleted in Anki. `looks`
    are note types whose appearance is written, `look_conflicts` those edited in both places, and `look_kept`
    those edited in Anki. `files` are files that are written separately, and `file_conflicts` those that
    changed in both places. `replaced` are the note types and files among them whose version in Anki is
    overwritten. `carriers` are unchanged notes that are only in the package to carry the
    appearance of note types and the descriptions of decks.
    """

    new: tuple[Ours, ...] = ()
    changes: tuple[Change, ...] = ()
    moves: tuple[Move, ...] = ()
    stays: tuple[Move, ...] = ()
    filtered: tuple[Move, ...] = ()
    gone: tuple[Ours, ...] = ()
    retired: tuple[Retired, ...] = ()
    looks: tuple[str, ...] = ()
    look_conflicts: tuple[str, ...] = ()
    look_kept: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    file_conflicts: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    carriers: tuple[Ours, ...] = ()
    deletes: bool = False

    @property
    def deletions(self) -> tuple[Retired, ...]:
        """The retired notes to delete, which are those that nobody edited."""
        return tuple(retired for retired in self.retired if retired.is_clean) if self.deletes else ()

    @property
    def sent_decks(self) -> AbstractSet[str]:
        """The decks of the notes in the package, with all decks above them."""
        return {deck for note in self.package for deck in with_parents(note.deck)}

    def brings_types(self, known: Container[str]) -> bool:
        """Whether a new note has a note type that is not among the known ones."""
        return any(note.row.note_type not in known for note in self.new)

    @property
    def updates(self) -> tuple[Change, ...]:
        """The notes to which the push writes anything."""
        return tuple(change for change in self.changes if change.is_update)

    @property
    def conflicts(self) -> tuple[Change, ...]:
        """The notes with a field that was edited in both places."""
        return tuple(change for change in self.changes if change.conflicts)

    @property
    def reversals(self) -> tuple[Change, ...]:
        """The notes with a field that has a text that we wrote earlier."""
        return tuple(change for change in self.changes if change.reversals)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The keys of notes, and the note types and files, that changed both in Anki and in the sources."""
        keys = (conflict.ours.key for conflict in self.conflicts)
        return (*keys, *self.look_conflicts, *self.file_conflicts)

    @property
    def kept(self) -> tuple[Change, ...]:
        """The notes that keep edits made in Anki, or lack tags removed there; nothing is written to them."""
        return tuple(
            change
            for change in self.changes
            if (change.kept or change.away) and not (change.is_update or change.conflicts or change.reversals)
        )

    @property
    def package(self) -> tuple[Ours, ...]:
        """The notes that a package writes."""
        return (*self.new, *(change.ours for change in self.changes if change.in_package), *self.carriers)

    def __bool__(self) -> bool:
        return bool(self.new or self.updates or self.moves or self.carriers or self.files or self.deletions)


class Sources(NamedTuple):
    """A collection: its notes, and digests of appearances, deck descriptions and files by name."""

    notes: Sequence[Ours]
    looks: Mapping[str, str]
    descriptions: Mapping[str, str]
    files: Mapping[str, str]


def plan_push(
    sources: Sources,
    found: AnkiState,
    memory: PushRecord,
    overrides: Overrides,
    *,
    known: Mapping[str, Publications],
    retired: Iterable[Retired] = (),
) -> PushPlan:
    """Return what a push does; `known` contains when and in which decks notes were published."""
    new: list[Ours] = []
    gone: list[Ours] = []
    changes: list[Change] = []
    moves: dict[str, list[Move]] = {"moved": [], "stays": [], "filtered": []}
    for note in sources.notes:
        base = memory.notes.get(note.guid)
        theirs = found.notes.get(note.guid)
        nid = theirs.nid if theirs else base.nid if base and base.nid in found.mods else 0
        if not nid:
            (gone if base and not overrides.restore else new).append(note)
            continue
        publications = known.get(note.guid, NOT_KNOWN)
        if theirs:
            extended = found.types[note.row.note_type].extended
            changes.append(
                compare(note, theirs, base, publications, overwrite=overrides.overwrite, extended=extended)
            )
        before = ((base.deck,) if base and base.deck else publications.decks) if nid in found.away else ()
        for deck, cards in found.away.get(nid, {}).items():
            fate = _fate(note, deck, before, overrides, is_filtered=nid in found.filtered)
            moves[fate].append(Move(note, deck, cards))
    there = {name: found.types[name].look for name in sources.looks if name in found.types}
    looks = _fates(sources.looks, there, memory.looks, overwrite=overrides.overwrite)
    plan = PushPlan(
        tuple(new),
        tuple(changes),
        gone=tuple(gone),
        retired=tuple(retired),
        looks=tuple(looks["sent"]),
        look_conflicts=tuple(looks["conflict"]),
        look_kept=tuple(looks["kept"]),
        moves=tuple(moves["moved"]),
        stays=tuple(moves["stays"]),
        filtered=tuple(moves["filtered"]),
    )
    described = [
        deck
        for deck, text in sources.descriptions.items()
        if text and memory.descriptions.get(deck, text) != text
    ]
    plan = replace(plan, carriers=tuple(_carriers(sources.notes, plan, described)))
    written = {name: Styling(last, last) for name, last in memory.files.items()}
    files = _fates(sources.files, found.files, written, overwrite=overrides.overwrite)
    packed = {media.name for note in plan.package for media in note.row.media}
    return replace(
        plan,
        files=tuple(name for name in files["sent"] if found.files[name] or name not in packed),
        file_conflicts=tuple(files["conflict"]),
        replaced=(*looks["replaced"], *files["replaced"]),
    )


def _fate(note: Ours, deck: str, before: Iterable[str], overrides: Overrides, *, is_filtered: bool) -> str:
    """Return what happens to cards that are not in the sources' deck, which depends on who moved them."""
    ours_before = {deck_key(each) for each in before} - {deck_key(note.deck)}
    # A filtered deck hides the home deck of its cards.
    if overrides.move or deck_key(deck) in ours_before or (is_filtered and ours_before):
        return "filtered" if is_filtered else "moved"
    return "stays"


def _fates(
    ours: Mapping[str, str], theirs: Mapping[str, str], written: Mapping[str, Styling], *, overwrite: bool
) -> dict[str, list[str]]:
    """Sort the note types or files that differ in Anki into those to write, those to keep and conflicts.

    All are digests by name; that of a file which Anki lacks is empty. If both sides are as last written, they
    only differ in how Anki stores it.
    """
    fates: dict[str, list[str]] = {"sent": [], "kept": [], "conflict": [], "replaced": []}
    for name, there in theirs.items():
        last = written.get(name)
        is_edited = there != "" and (last is None or last.theirs != there)
        is_ours_new = there == "" or last is None or last.ours != ours[name]
        if there == ours[name] or not (is_edited or is_ours_new):
            continue
        if not is_edited:
            fates["sent"].append(name)
        elif not is_ours_new:
            fates["kept"].append(name)
        else:
            for fate in ("sent", "replaced") if overwrite else ("conflict",):
                fates[fate].append(name)
    return fates


def _carriers(notes: Sequence[Ours], plan: PushPlan, descriptions: Iterable[str]) -> Iterator[Ours]:
    """Yield unchanged notes to carry the appearances and descriptions that no other note carries."""
    types, decks = set(plan.looks), {deck_key(deck) for deck in descriptions}
    sent = plan.package
    # A note that differs from the sources would lose its tags if it were in the package.
    others = {change.ours.guid for change in plan.changes if not change.is_same} | {
        each.guid for each in plan.gone
    }
    for note in (*sent, *(note for note in notes if note.guid not in others)):
        if not types and not decks:
            return
        above = with_parents(note.deck)
        if note.row.note_type in types or above & decks:
            types.discard(note.row.note_type)
            decks -= above
            if note not in sent:
                yield note


def with_parents(deck: str) -> AbstractSet[str]:
    """Return the keys of a deck and of all decks above it."""
    levels = deck_key(deck).split("::")
    return {"::".join(levels[: depth + 1]) for depth in range(len(levels))}
