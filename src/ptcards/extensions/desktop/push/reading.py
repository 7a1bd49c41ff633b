"""Reads the notes of a collection from Anki; only changed notes are read in full.

Anki also exports packages: copies of decks, and notes whose GUID is in no field.
"""

import base64
import hashlib
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from unicodedata import normalize

from ptcards.extensions.desktop.merge.compare import (
    NOT_KNOWN,
    AnkiState,
    Base,
    Ours,
    Publications,
    PushRecord,
    Retired,
    Theirs,
    TheirType,
    fold,
    is_clean,
    is_unchanged,
    look_digest,
)
from ptcards.extensions.desktop.merge.plan import Sources
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.extensions.desktop.push.ankiconnect import Action, ActionError, Anki, AnkiError, few_ids
from ptcards.files.inputs import MAX_MEDIA_BYTES, InputError, read_input
from ptcards.files.temporary import temporary_folder
from ptcards.identity.lock import Lock, Record, deck_key
from ptcards.notes.notetypes import NoteType


def export_decks(anki: Anki, cards: Sequence[int], folder: Path, name: str) -> list[Path]:
    """Save the top-level decks of these cards as `NAME-0.apkg` and so on, and return the files.

    Raises:
        AnkiError: Anki cannot save a deck.

    """
    made = []
    roots = {deck.partition("::")[0] for deck in anki.ask("getDecks", cards=list(cards))} if cards else ()
    for number, root in enumerate(sorted(roots)):
        file = folder / f"{name}-{number}.apkg"
        if not export_deck(anki, root, file, with_reviews=True):
            message = f"Anki did not save a copy of the deck `{root}`"
            raise AnkiError(message, "export it by hand: File › Export, with scheduling information")
        made.append(file)
    return made


def export_deck(anki: Anki, deck: str, file: Path, *, with_reviews: bool) -> bool:
    """Save a deck as this file, and return whether it worked: a sandboxed Anki cannot write to our folders.

    Raises:
        AnkiError: Anki does not answer.

    """
    with suppress(ActionError):
        anki.ask("exportPackage", deck=deck, path=str(file), includeSched=with_reviews)
    return file.is_file()


def export_notes(anki: Anki, note_types: Iterable[int], folder: Path) -> list[Path]:
    """Save the top-level decks of all notes of these note types, given by id, and return the files.

    Raises:
        AnkiError: Anki does not answer or cannot save a deck.

    """
    query = " OR ".join(f"mid:{number}" for number in note_types)
    return export_decks(anki, anki.ask("findCards", query=query), folder, "reviews")


_AT_ONCE = 2000
"""The maximum number of notes in one search."""


def read_guids(
    anki: Anki, note_types: Sequence[NoteType], types: Mapping[str, TheirType], known: Mapping[int, str]
) -> dict[int, str]:
    """Return the GUIDs, by note id, of notes that have no GUID field, except the `known` ones.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    hidden = [
        types[note_type.key].id
        for note_type in note_types
        if not note_type.guid_field and note_type.key in types
    ]
    if not hidden:
        return {}
    nids = anki.ask("findNotes", query=" OR ".join(f"mid:{number}" for number in hidden))
    unknown = [nid for nid in nids if nid not in known]
    asked = exported_guids(anki, unknown) if unknown else {}
    return {nid: known.get(nid) or asked[nid] for nid in nids if nid in known or nid in asked}


def exported_guids(anki: Anki, nids: Sequence[int]) -> dict[int, str]:
    """Return the GUIDs of notes by their ids, and those of other notes in the same decks.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    from ptcards.extensions.importing.package import open_package  # noqa: PLC0415 - heavy, and rarely needed
    from ptcards.extensions.importing.problems import NotImportableError  # noqa: PLC0415 - as above

    found: dict[int, str] = {}
    with temporary_folder("push") as folder:
        for number, deck in enumerate(_decks_with(anki, nids)):
            file = folder / f"{number}.apkg"
            if not export_deck(anki, deck, file, with_reviews=False):
                message = f"Anki did not export `{deck}`: its notes cannot be told apart"
                raise AnkiError(message, "run `ptcards build`, and import the package by hand: File › Import")
            try:
                with open_package(file, deck) as package:
                    found |= package.database.guids()
            except NotImportableError as failure:
                message = f"Anki exported `{deck}`, but not as a package"
                raise AnkiError(message, "run Tools › Check Database in Anki, then push again") from failure
    return found


def _decks_with(anki: Anki, nids: Sequence[int]) -> list[str]:
    """Return decks that together contain these notes; none is a subdeck of another."""
    cards: list[int] = []
    for start in range(0, len(nids), _AT_ONCE):
        some = ",".join(map(str, nids[start : start + _AT_ONCE]))
        cards += anki.ask("findCards", query=f"nid:{some}")
    decks: list[str] = []
    for deck in sorted(anki.ask("getDecks", cards=cards)):
        if not any(deck.startswith(f"{above}::") for above in decks):
            decks.append(deck)
    return decks


def with_guids(anki: Anki, new: Iterable[Ours], read: Sequence[Theirs]) -> Iterator[Theirs]:
    """Yield newly added notes with their GUIDs, which are found by content or through an export.

    Raises:
        AnkiError: Anki does not export the notes.

    """
    waiting: dict[tuple[str, ...], deque[str]] = defaultdict(deque)
    for note in new:
        waiting[note.fields].append(note.guid)
    # Ids are in the order of the package, which distinguishes notes with the same fields.
    left = []
    for each in sorted(read, key=lambda note: note.nid):
        if guids := waiting[each.fields]:
            yield each._replace(guid=guids.popleft())
        else:
            left.append(each)
    if left:
        asked = exported_guids(anki, [each.nid for each in left])
        yield from (each._replace(guid=asked[each.nid]) for each in left if each.nid in asked)


def look_of(note_type: NoteType) -> str:
    """Return a digest of those parts of a note type's appearance that AnkiConnect reports."""
    return look_digest(note_type.css, [(each.name, each.front, each.back) for each in note_type.templates])


def read_found(
    anki: Anki, sources: Sources, note_types: Sequence[NoteType], memory: PushRecord, lock: Lock
) -> AnkiState:
    """Return what Anki has of a collection.

    Raises:
        AnkiError: Anki does not answer, or one of its note types lacks fields or templates.

    """
    asked = ("modelNamesAndIds", "deckNamesAndIds")
    called, decks = anki.ask_all(Action(each, {}) for each in asked)
    there = _there(note_types, called)
    theirs = _read_files(anki, sources.files, memory.files)
    if not there:
        return AnkiState({}, {}, {}, {}, frozenset(), (), files=theirs)
    numbers = {deck_key(name): number for name, number in decks.items()}
    wanted = sorted({deck_key(deck) for deck in {note.deck for note in sources.notes}} & numbers.keys())
    by_guid = {note.guid: note for note in sources.notes}
    known = {**memory.others, **{base.nid: guid for guid, base in memory.notes.items()}}
    same = {
        guid
        for guid, base in memory.notes.items()
        if guid in by_guid and is_unchanged(by_guid[guid], base, base.mod)
    }
    changed = [base.nid for guid, base in memory.notes.items() if guid in by_guid and guid not in same]
    now, changed = int(time.time()), few_ids("notesInfo", changed)
    of_types, of_places, [times], [infos] = anki.ask_groups(
        _type_questions(there),
        _place_questions([note_type.id for note_type, _ in there], [numbers[deck] for deck in wanted]),
        [Action("notesModTime", {"notes": few_ids("notesModTime", known)})],
        [Action("notesInfo", {"notes": changed})],
    )
    types = _types(there, of_types)
    nids, filtered, elsewhere, *in_decks = of_places
    mods = _mods(anki, times, nids)
    guids = read_guids(anki, note_types, types, known)
    known |= guids
    records = {record.guid: record.live for record in lock.records}

    def is_of_interest(nid: int) -> bool:
        guid = known.get(nid, "")
        if guid in by_guid:
            return guid not in same or memory.notes[guid].mod != mods[nid]
        # This includes retired notes, and notes that may be ours.
        return not records.get(guid, nid in guids)

    others = filter(is_of_interest, mods.keys() - changed)
    read = list(_notes(infos, note_types, types, guids, now))
    read += read_notes(anki, note_types, types, sorted(others), guids)
    notes, twice = _one_each(read, memory, mods)
    owners = {nid: by_guid[guid] for nid, guid in known.items() if guid in by_guid and nid in mods}
    owners |= {each.nid: by_guid[guid] for guid, each in notes.items() if guid in by_guid}
    away = _read_away(anki, elsewhere, dict(zip(wanted, in_decks, strict=True)), owners)
    return AnkiState(types, mods, notes, away, frozenset(filtered), twice, guids, theirs)


def _mods(anki: Anki, times: Iterable[Mapping[str, int]], nids: Sequence[int]) -> dict[int, int]:
    """Return the times of notes; some are known already."""
    known = {each["noteId"]: each["mod"] for each in times if each}
    known |= anki.times([nid for nid in nids if nid not in known])
    return {nid: known[nid] for nid in nids if nid in known}


def _read_files(anki: Anki, ours: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return digests of Anki's files with these names; they are empty for files that Anki lacks.

    Files that have not changed in the sources since they were written are left out.
    """
    if not ours:
        return {}
    asked = ("getMediaFilesNames", "getMediaDirPath")
    names, folder = anki.ask_all(Action(each, {}) for each in asked)
    there = set(names)
    found = {name: "" for name in ours if name not in there}
    changed = (name for name, digest_here in ours.items() if known.get(name) != digest_here)
    contents = {name: read_media(anki, Path(folder), name) for name in changed if name in there}
    return found | {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def read_media(anki: Anki, folder: Path, name: str) -> bytes:
    """Return the content of a file in Anki's media folder; it is empty if Anki has no such file to give.

    Anki has to send the file if we cannot open its folder.

    Raises:
        AnkiError: Anki does not answer.

    """
    if name == ".." or PurePosixPath(name).name != name or PureWindowsPath(name).name != name:
        return b""  # a path, perhaps to another folder
    with suppress(InputError, OSError):
        if (folder / name).stat().st_size > MAX_MEDIA_BYTES:
            return b""
        return read_input(folder / name, folder, MAX_MEDIA_BYTES)
    with suppress(ValueError, ActionError):
        return base64.b64decode(anki.ask("retrieveMediaFile", filename=name) or "")
    return b""


def read_notes(
    anki: Anki,
    note_types: Sequence[NoteType],
    types: Mapping[str, TheirType],
    nids: Iterable[int],
    guids: Mapping[int, str],
) -> Iterator[Theirs]:
    """Return these notes as Anki has them, except those deleted or given another note type in the meantime.

    `guids` contains the GUIDs of notes that have no GUID field.
    """
    now = int(time.time())
    return _notes(anki.ask_about("notesInfo", nids), note_types, types, guids, now)


def _notes(
    infos: Iterable[Any],
    note_types: Sequence[NoteType],
    types: Mapping[str, TheirType],
    guids: Mapping[int, str],
    now: int,
) -> Iterator[Theirs]:
    ours = {types[each.key].name: each for each in note_types if each.key in types}
    for each in infos:
        note_type = ours.get(each.get("modelName"))
        if note_type is not None:
            values = {name: field["value"] for name, field in each["fields"].items()}
            fields = tuple(normalize("NFC", values.get(field.name, "")) for field in note_type.fields)
            nid, cards = each["noteId"], tuple(each["cards"])
            guid = values.get(note_type.guid_field) or guids.get(nid, "")
            yield Theirs(nid, guid, each["mod"], fields, frozenset(each["tags"]), cards, now)


def read_retired(
    anki: Anki,
    found: AnkiState,
    records: Iterable[Record],
    memory: PushRecord,
    known: Mapping[str, Publications],
) -> Iterator[Retired]:
    """Yield the retired notes that are still in Anki."""
    for record in records:
        theirs = found.notes.get(record.guid)
        if theirs is not None and not record.live:
            reviews = anki.ask("getReviewsOfCards", cards=theirs.cards)
            base = memory.notes.get(record.guid)
            clean = is_clean(theirs, base, known.get(record.guid, NOT_KNOWN)) or _is_as_written(theirs, base)
            yield Retired(record, theirs, clean, sum(map(len, reviews.values())))


def _is_as_written(theirs: Theirs, base: Base | None) -> bool:
    """Whether a note in Anki has the fields and tags that were last written, whatever its time.

    Anki gives all notes of a note type a new time if somebody adds a field to it.
    """
    return (
        base is not None
        and fold(theirs.tags) == fold(base.tags)
        and all(base.digests(place)[1] == digest(text) for place, text in enumerate(theirs.fields))
    )


def read_types(anki: Anki, note_types: Sequence[NoteType]) -> dict[str, TheirType]:
    """Return those of our note types that Anki has.

    Raises:
        AnkiError: a note type lacks one of our fields or templates.

    """
    there = _there(note_types, anki.ask("modelNamesAndIds"))
    return _types(there, anki.ask_all(_type_questions(there)))


_There = Sequence[tuple[NoteType, str]]
"""Our note types that Anki has, with their names there."""


def _there(note_types: Iterable[NoteType], called: Mapping[str, int]) -> _There:
    """Return those of our note types that are among the `called` ones, which have ids by name.

    Note types are found by id, because their names may differ in Anki.
    """
    names = {number: name for name, number in called.items()}
    return [(note_type, names[note_type.id]) for note_type in note_types if note_type.id in names]


def _type_questions(there: _There) -> list[Action]:
    asked = ("modelFieldNames", "modelTemplates", "modelStyling")
    return [Action(each, {"modelName": name}) for _, name in there for each in asked]


def _types(there: _There, answers: Iterable[Any]) -> dict[str, TheirType]:
    """Return note types from the answers to the questions about them."""
    found = {}
    said = iter(answers)
    for (ours, name), fields, templates, styling in zip(there, said, said, said, strict=True):
        wanted = [template.name for template in ours.templates]
        names = list(ours.field_names)
        if missing := [*_missing("field", names, fields), *_missing("template", wanted, templates)]:
            message = f"note-type-differs: `{name}` in Anki lacks the {' and the '.join(missing)}"
            fix = "restore what is missing, under the same name: Tools › Manage Note Types"
            raise AnkiError(message, fix)
        sides = [(each, templates[each]["Front"], templates[each]["Back"]) for each in wanted]
        look = look_digest(styling["css"], sides)
        extended = fields != names or list(templates) != wanted
        found[ours.key] = TheirType(ours.id, name, look, extended)
    return found


def _missing(what: str, wanted: Iterable[str], there: Iterable[str]) -> Iterator[str]:
    has = set(there)
    return (f"{what} `{name}`" for name in wanted if name not in has)


def _one_each(
    read: Sequence[Theirs], memory: PushRecord, mods: Mapping[int, int]
) -> tuple[dict[str, Theirs], tuple[str, ...]]:
    """Return the notes by GUID, and the GUIDs that several notes share.

    Of notes that share a GUID, the one that we wrote counts, otherwise the newest.
    """
    notes: dict[str, Theirs] = {}
    twice: dict[str, None] = {}
    for each in sorted((each for each in read if each.guid), key=lambda note: note.mod):
        base = memory.notes.get(each.guid)
        is_copy = base is not None and base.nid != each.nid and base.nid in mods
        if is_copy or each.guid in notes:
            twice[each.guid] = None
        if not is_copy:
            notes[each.guid] = each
    return notes, tuple(twice)


def _place_questions(types: Iterable[int], decks: Sequence[int]) -> list[Action]:
    """Return the searches for the notes of our types, given by id, and for those in each of our decks.

    The second finds notes with cards in filtered decks, and the third those with cards in decks that are not
    ours. A card in a filtered deck counts for its home deck.
    """
    which = f"({' OR '.join(f'mid:{number}' for number in types)})"
    elsewhere = "".join(f" -did:{deck}" for deck in decks)
    queries = [which, f"{which} deck:filtered", f"{which}{elsewhere}"]
    queries += [f"{which} did:{deck}" for deck in decks]
    return [Action("findNotes", {"query": query}) for query in queries]


def _read_away(
    anki: Anki, elsewhere: Iterable[int], decks: Mapping[str, Sequence[int]], owners: Mapping[int, Ours]
) -> dict[int, dict[str, tuple[int, ...]]]:
    """Return the cards that are not in their note's deck, by note and deck.

    `elsewhere` are the notes with cards in decks that are not ours, and `decks` those in each of ours.
    """
    misplaced = {nid for nid in elsewhere if nid in owners}
    for deck, nids in decks.items():
        misplaced |= {nid for nid in nids if nid in owners and deck_key(owners[nid].deck) != deck}
    if not misplaced:
        return {}
    notes = anki.ask_about("notesInfo", sorted(misplaced))
    cards = {card: note["noteId"] for note in notes if note for card in note["cards"]}
    found: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    by_deck: dict[str, Any] = anki.ask("getDecks", cards=sorted(cards))
    for deck, some in by_deck.items():
        for card in cards.keys() & some:
            nid = cards[card]
            if deck_key(deck) != deck_key(owners[nid].deck):
                found[nid][deck] = (*found[nid].get(deck, ()), card)
    return dict(found)
