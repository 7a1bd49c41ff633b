"""Which notes, decks and note types of a collection are a feed's, which proves nothing: it may be forged."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ptcards.extensions.publish.subscription.base import FeedHistory, estimate
from ptcards.extensions.publish.subscription.state import Held, HeldNote, Subscription
from ptcards.extensions.publish.subscription.update import FeedSource
from ptcards.identity.lock import deck_key


def copied_type(feed_id: str, note_type: int) -> int:
    """Return the id of a feed's copy of a note type; it is the same on each computer of the learner."""
    return 10**12 + int(hashlib.sha256(f"{feed_id} {note_type}".encode()).hexdigest()[:10], 16) % 10**12


def own_type(source: FeedSource, note_type: int, held: Held) -> int:
    """Return the id that a note type of the feed gets here: a copy if it belongs to other decks."""
    is_used = any(note.note_type == note_type for note in held.notes.values())
    is_foreign = note_type in held.taken or (held.others.get(note_type, 0) and not is_used)
    return copied_type(source.feed.id, note_type) if is_foreign else note_type


def adopt(source: FeedSource, held: Held) -> Subscription:
    """Return a new subscription: which decks and note types of the collection are already the feed's."""
    types = {each: own_type(source, each, held) for each in source.package.types}
    shared = [each for each in types.values() if held.others.get(each)]
    texts = [text for each in {*types.values()} - {*shared} for text in _texts(held, each)]
    files = [
        name
        for name, there in held.files.items()
        if not there or (name not in held.foreign_files and any(name in text for text in texts))
    ]
    return Subscription(
        source.address,
        source.feed.name,
        decks=_adopted_decks(source, held, {*types.values()}),
        types={str(each): local for each, local in types.items()},
        shared=tuple(shared),
        files=tuple(files),
    )


def _texts(held: Held, note_type: int) -> Iterator[str]:
    """Yield all texts of a note type and of the feed's notes that have it."""
    if note_type in held.types:
        yield from held.types[note_type].texts
    for note in held.notes.values():
        if note.note_type == note_type:
            yield from note.fields


def _adopted_decks(source: FeedSource, held: Held, types: Iterable[int]) -> dict[str, int]:
    """Return the decks that are the feed's: those in which most cards are of its notes.

    A deck of the author's with a few cards must be found by its name before another one takes it.
    """
    feed = source.feed
    notes = {guid: note for guid, note in held.notes.items() if note.note_type in types}
    where: dict[str, Counter[int]] = defaultdict(Counter)
    since = estimate(feed, held.notes, {guid: note.fields for guid, note in held.notes.items()}, -1)
    for guid, note in notes.items():
        live = [each for each in feed.notes[guid] if each.is_live and each.release <= max(since, 0)]
        if live:
            where[feed.decks[live[-1].deck][0]].update(card.deck for card in note.cards)
    published = {
        feed.decks[each.deck][0]
        for past in feed.notes.values()
        for each in past
        if each.is_live and each.release <= since
    }
    cards = sum(where.values(), Counter[int]())
    mostly = {did for did, count in cards.items() if count * 2 > held.cards.get(did, 0)}
    called = {deck_key(name): did for did, name in held.decks.items() if did not in held.taken_decks}
    decks = {
        name: did
        for name in sorted({*where, *published})
        if (did := called.get(deck_key(name), 0)) in mostly or (did and not held.cards.get(did))
    }
    for name, found in where.items():
        did, most = found.most_common(1)[0] if found else (0, 0)
        if name not in decks and most * 2 > found.total() and did in mostly - {*decks.values()}:
            decks[name] = did
    for name in sorted(decks, key=len, reverse=True):
        _adopt_above(decks, name, held.decks)
    return decks


def _adopt_above(decks: dict[str, int], name: str, called: Mapping[int, str]) -> None:
    """Add the decks above one of the feed's: they are where that deck is, if it kept its last name."""
    numbers = {there: did for did, there in called.items()}
    shown = called[decks[name]]
    while "::" in name and "::" in shown:
        (name, _, last), (shown, _, there) = name.rpartition("::"), shown.rpartition("::")
        if deck_key(last) != deck_key(there) or name in decks or shown not in numbers:
            return
        decks[name] = numbers[shown]


def imported_decks(
    source: FeedSource,
    held: Held,
    notes: Mapping[str, HeldNote],
    history: FeedHistory,
    decks: Mapping[str, int],
) -> dict[str, int]:
    """Return the decks that an import by hand made since the last update, by the author's names.

    `notes` are the feed's, and `decks` those that are known. A deck with a card of another deck is not one.
    An import leaves cards where they are, but makes the decks of all notes.
    """
    used = set[str]()
    if history.since > history.applied:
        used = {history.deck_at(guid, history.since) for guid in source.feed.notes}
    called = {deck_key(name): did for did, name in held.decks.items()}
    for guid, note in notes.items():
        if not history.placed(guid):  # only an import can have brought it
            names = {source.feed.decks[each.deck][0] for each in history.live(guid)}
            homes = {card.deck for card in note.cards}
            used |= {name for name in names if called.get(deck_key(name)) in homes}
    cards = Counter(card.deck for note in notes.values() for card in note.cards)
    known = {*decks.values(), *held.taken_decks}
    return {
        name: did
        for deck in used
        for name, _ in _levels(deck)
        if name not in decks
        and (did := called.get(deck_key(name), 0))
        and did not in known
        and held.cards.get(did, 0) == cards[did]
    }


def is_of_feed(note: HeldNote, subscription: Subscription) -> bool:
    """Whether a note in the collection belongs to a subscription.

    The feed proves nothing: its history may be forged. So the note type must be one of the subscription's
    and, if other decks used that one too, the cards must be in its decks.
    """
    if note.note_type not in subscription.types.values():
        return False
    decks = {*subscription.decks.values()}
    return note.note_type not in subscription.shared or {card.deck for card in note.cards} <= decks


def renamed_decks(source: FeedSource, history: FeedHistory, decks: Mapping[str, int]) -> dict[str, str]:
    """Return the new names of decks that the author renamed, by their old names.

    A deck is renamed if all of its notes are in one other deck now, with no notes from elsewhere, and if the
    old name is not used any more. A deck that only has subdecks is renamed if all of those have new names
    that begin with another one. Other decks below a renamed one follow it.
    """
    now = {level for note in source.package.notes.values() for level, _ in _levels(note.deck)}
    last = history.applied if history.applied >= 0 else history.since
    moves = {
        (history.deck_at(note.guid, last), note.deck)
        for note in source.package.notes.values()
        if history.had(note.guid, last)
    }
    own, below = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for old, new in moves:
        own[old].add(new)
        for level, rest in _levels(old):
            below[level].add(new.removesuffix(f"::{rest}") if new.endswith(f"::{rest}") else "")
    renamed: dict[str, str] = {}
    for old in sorted(decks, key=lambda name: name.count("::")):
        targets = own.get(old) or below.get(old, {""})
        new = next(iter(targets))
        origins = {before for before, after in moves if after == new}
        others = {_below_renamed(each, renamed) for each in decks if each != old}
        is_free = new and new != old and old not in now and new not in others
        if is_free and len(targets) == 1 and (origins <= {old} or old not in own):
            renamed[old] = new
    followed = {old: _below_renamed(old, renamed) for old in decks if old not in now}
    return renamed | {old: new for old, new in followed.items() if new != old}


def _below_renamed(deck: str, renamed: Mapping[str, str]) -> str:
    """Return the name of a deck after it, or one above it, was renamed."""
    for level, rest in reversed([*_levels(deck)]):
        if level in renamed:
            return f"{renamed[level]}::{rest}" if rest else renamed[level]
    return deck


def _levels(deck: str) -> Iterator[tuple[str, str]]:
    """Yield a deck and all decks above it, each with what follows in the name."""
    parts = deck.split("::")
    for depth in range(1, len(parts) + 1):
        yield "::".join(parts[:depth]), "::".join(parts[depth:])
