"""Finds published decks that an update renames, which learners should rename first."""

from collections import defaultdict
from collections.abc import Mapping

from ptcards.identity.changes import Changes, Pair
from ptcards.identity.lock import deck_key
from ptcards.notes import Note


def renamed_decks(changes: Changes, after: Mapping[str, Note]) -> dict[str, str]:
    """Return the new names of decks by their old names; `after` contains the notes now, by GUID.

    A deck is renamed if all its notes that are left are now in one deck, which is new. Renaming it in Anki
    must be right for its subdecks too, and those that this renames are not returned.
    """
    targets = _targets(changes)
    old = {key: name for key, (name, _) in targets.items()}
    published = _published(changes, after) | old.keys()
    kept = {deck_key(note.deck) for note in after.values()}
    new = [deck_key(deck) for _, decks in targets.values() for deck in decks]
    renames = {}
    for key, (_, decks) in targets.items():
        to = next(iter(decks))
        if len(decks) == 1 and key not in kept and new.count(deck_key(to)) == 1:
            renames[key] = to
    renames = {key: to for key, to in renames.items() if deck_key(to) not in published}
    right = {
        key: to
        for key, to in renames.items()
        if all(
            deck_key(renames.get(other, "")) == deck_key(to) + other.removeprefix(key)
            for other in published
            if other.startswith(f"{key}::")
        )
    }
    implied = {other for key in right for other in right if other.startswith(f"{key}::")}
    return {old[key]: to for key, to in sorted(right.items()) if key not in implied}


def follows_its_deck(pair: Pair, renames: Mapping[str, str]) -> bool:
    """Whether a moved note is where renaming these decks (new names by old names) puts it."""
    before, after = (f"{deck_key(record.fingerprint.deck)}::" for record in pair)
    return any(
        before.startswith(f"{deck_key(old)}::") and after.startswith(f"{deck_key(new)}::")
        for old, new in renames.items()
    )


def _targets(changes: Changes) -> dict[str, tuple[str, dict[str, None]]]:
    """Return, for each deck that notes left, its name and the decks in which they are now."""
    names: dict[str, str] = {}
    targets: dict[str, dict[str, None]] = defaultdict(dict)
    for before, now in changes.moved:
        key = deck_key(before.fingerprint.deck)
        names.setdefault(key, before.fingerprint.deck)
        targets[key][now.fingerprint.deck] = None
    return {key: (names[key], decks) for key, decks in targets.items()}


def _published(changes: Changes, after: Mapping[str, Note]) -> set[str]:
    """Return the keys of the decks that learners may have, except those that notes only left."""
    moved = {pair.after.guid for pair in changes.moved}
    fresh = {record.guid for record in changes.new}
    back = [pair.before for pair in changes.returned]
    stayed = {note.deck for guid, note in after.items() if guid not in moved | fresh}
    gone = {record.fingerprint.deck for record in (*changes.retired, *back)}
    return {deck_key(deck) for deck in stayed | gone}
