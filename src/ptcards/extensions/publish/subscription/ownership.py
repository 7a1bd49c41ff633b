"""Which notes, decks and note types of a collection are a feed's.

What the feed says proves nothing: its whole history may be forged. Only what its subscription brought is the
feed's, and what the learner accepted.
"""

import base64
import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import accumulate, pairwise

from ptcards.extensions.publish.subscription.base import FeedHistory, Shown, estimate, keys_of
from ptcards.extensions.publish.subscription.looks import in_order, places_of
from ptcards.extensions.publish.subscription.state import Held, HeldNote, Subscription
from ptcards.extensions.publish.subscription.update import FeedSource
from ptcards.identity.lock import deck_key


def remember(nids: Iterable[int]) -> str:
    """Return a record of the ids of notes: their differences, packed, because most of them are small."""
    ordered = sorted(nids)
    steps = " ".join(str(after - before) for before, after in pairwise([0, *ordered]))
    return base64.b64encode(zlib.compress(steps.encode())).decode()


def recall(record: str) -> frozenset[int]:
    """Return the ids of the notes that a record names."""
    steps = zlib.decompress(base64.b64decode(record)).split() if record else ()
    return frozenset(accumulate(map(int, steps)))


def names_of_type(feed_id: str, note_type: int) -> Iterator[int]:
    """Yield the ids that a note type of the feed may have: its own, and then those of copies.

    They are the same on all computers of the learner.
    """
    yield note_type
    name = f"{feed_id} {note_type}"
    while True:
        yield 10**12 + int(hashlib.sha256(name.encode()).hexdigest()[:10], 16) % 10**12
        name += "+"


def new_type(feed_id: str, note_type: int, held: Held) -> int:
    """Return the id that a note type gets that the feed has not brought yet: one that is free here."""
    known = held.types.keys() | held.taken
    return next(each for each in names_of_type(feed_id, note_type) if each not in known)


def shared_types(held: Held, notes: Iterable[HeldNote], types: Iterable[int]) -> frozenset[int]:
    """Return those of the feed's note types that another note has now; `notes` are the feed's."""
    own = Counter(note.note_type for note in notes)
    return frozenset(each for each in types if held.uses.get(each, 0) > own[each])


def first_subscription(source: FeedSource, held: Held) -> Subscription:
    """Return a new subscription: what of the collection is the feed's if the learner accepts the list."""
    feed, package = source.feed, source.package
    types = {each: _adopted_type(source, each, held) for each in package.types}
    claimed = {
        guid: note
        for guid, note in held.notes.items()
        if (note.note_type == types[package.notes[guid].note_type] if guid in package.notes else True)
        and note.note_type in types.values()
    }
    shared = shared_types(held, claimed.values(), types.values())
    decks = _adopted_decks(source, held, claimed)
    notes = {
        guid: note
        for guid, note in claimed.items()
        if note.note_type not in shared or {card.deck for card in note.cards} <= {*decks.values()}
    }
    used = {note.note_type for note in notes.values()}
    types = {each: local if local in used else new_type(feed.id, each, held) for each, local in types.items()}
    above = {name: did for name, did in _decks_above(decks, held.decks).items() if did not in decks.values()}
    homes, known = homes_of(notes.values()), {*decks.values(), *above.values()}
    whole = {name: did for name, did in above.items() if is_whole(did, held, homes, known)}
    own = {note.nid for note in notes.values()}
    files = [
        name
        for name, there in held.files.items()
        if not there or (any(held.users[name][:2]) and is_own_file(name, held, own, used - shared))
    ]
    return Subscription(
        source.address,
        feed.name,
        notes=remember(own),
        decks=decks | whole,
        guests=[did for did in decks.values() if not is_whole(did, held, homes, known)],
        above={name: did for name, did in above.items() if name not in whole},
        types={str(each): local for each, local in types.items()},
        files=tuple(files),
    )


def is_own_file(name: str, held: Held, notes: AbstractSet[int], types: AbstractSet[int]) -> bool:
    """Whether nothing names a file but some notes and note types, which are the feed's."""
    users = held.users.get(name)
    return users is None or (not users.is_taken and users.notes <= notes and users.types <= types)


def _adopted_type(source: FeedSource, note_type: int, held: Held) -> int:
    """Return the note type here that notes with a GUID of the feed have, or else any id."""
    notes = source.package.notes
    used = {
        note.note_type
        for guid, note in held.notes.items()
        if guid not in notes or notes[guid].note_type == note_type
    }
    for each in names_of_type(source.feed.id, note_type):
        if each not in held.types or (each in used and each not in held.taken):
            return each
    raise AssertionError  # the names never end


def _adopted_decks(source: FeedSource, held: Held, notes: Mapping[str, HeldNote]) -> dict[str, int]:
    """Return the decks in which most cards are of the feed's notes.

    A deck of the author's with a few cards must be found by its name before another one takes it.
    """
    feed = source.feed
    where: dict[str, Counter[int]] = defaultdict(Counter)
    since = estimate(feed, notes, {guid: _shown(source, held, note) for guid, note in notes.items()}, -1)
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
        if (did := called.get(deck_key(name), 0)) in mostly or (did and is_free(did, held))
    }
    for name, found in where.items():
        did, most = found.most_common(1)[0] if found else (0, 0)
        if name not in decks and most * 2 > found.total() and did in mostly - {*decks.values()}:
            decks[name] = did
    return decks


def _shown(source: FeedSource, held: Held, note: HeldNote) -> Shown:
    """Return the fields of a note in the author's order, or none if the author removed the note."""
    ours = source.package.notes.get(note.guid)
    if ours is None:
        return Shown((), (), ())
    kind = source.package.types[ours.note_type]
    places = places_of(kind.fields, held.types[note.note_type].fields)
    texts = in_order(note.fields, places, ours.fields)
    return Shown(keys_of(kind), texts, source.feed.types.get(str(ours.note_type), ()))


def _decks_above(decks: Mapping[str, int], called: Mapping[int, str]) -> dict[str, int]:
    """Return the decks above the feed's: they are where those are that kept their last names."""
    numbers = {there: did for did, there in called.items()}
    found: dict[str, int] = {}
    for deck in sorted(decks, key=len, reverse=True):
        name, shown = deck, called[decks[deck]]
        while "::" in name and "::" in shown:
            (name, _, last), (shown, _, there) = name.rpartition("::"), shown.rpartition("::")
            if deck_key(last) != deck_key(there) or name in decks or shown not in numbers:
                break
            found.setdefault(name, numbers[shown])
    return found


def _below(did: int, held: Held) -> list[int]:
    """Return the decks below one, also filtered ones."""
    name = deck_key(held.decks.get(did, "\0"))
    everything = [*held.decks.items(), *held.filtered.items()]
    return [each for each, there in everything if deck_key(there).startswith(f"{name}::")]


def is_free(did: int, held: Held) -> bool:
    """Whether a deck is nobody's: no card is in it or below it, and no subscription has it."""
    return did in held.decks and not any(
        held.cards.get(each) or each in held.taken_decks or each in held.filtered
        for each in (did, *_below(did, held))
    )


def homes_of(notes: Iterable[HeldNote]) -> Counter[int]:
    """Return how many cards of some notes have each deck as their home."""
    return Counter(card.deck for note in notes for card in note.cards)


def is_whole(did: int, held: Held, homes: Mapping[int, int], known: AbstractSet[int]) -> bool:
    """Whether all in a deck and below it is the feed's.

    `homes` are the numbers of its cards by deck, and `known` its decks.
    """
    below = _below(did, held)
    return {*below} <= known and not any(
        each in held.taken_decks or held.cards.get(each, 0) != homes.get(each, 0) for each in (did, *below)
    )


def may_rename(did: int, held: Held, subscription: Subscription) -> bool:
    """Whether a deck may get another name, with which all decks below it get one, too."""
    own = {*subscription.decks.values()} - {*subscription.guests}
    return {did, *_below(did, held)} <= own


def imported_decks(
    source: FeedSource,
    held: Held,
    notes: Mapping[str, HeldNote],
    history: FeedHistory,
    decks: Mapping[str, int],
) -> dict[str, int]:
    """Return the decks that an import by hand made since the last update, by the author's names.

    `notes` are the feed's, and `decks` those that are known. An import makes the decks of all notes, but
    leaves cards where they are, so a deck is empty, or has notes that the learner accepts now and nothing of
    somebody else's: any other one may be the learner's.
    """
    used = set[str]()
    if history.since > history.applied:
        used = {history.deck_at(guid, history.since) for guid in source.feed.notes}
    called = {deck_key(name): did for did, name in held.decks.items()}
    adopted = homes_of(notes[guid] for guid in history.adopted & notes.keys())
    for guid in history.adopted:
        names = {source.feed.decks[each.deck][0] for each in source.feed.live(guid)}
        used |= {name for name in names if called.get(deck_key(name)) in adopted}
    found = {
        name: did
        for deck in used
        for name, _ in _levels(deck)
        if name not in decks
        and (did := called.get(deck_key(name), 0))
        and did not in {*decks.values(), *held.taken_decks}
    }
    known = {*decks.values(), *found.values()}
    homes = homes_of(notes.values())
    return {
        name: did
        for name, did in found.items()
        if is_free(did, held)
        or (adopted.keys() & {did, *_below(did, held)} and is_whole(did, held, homes, known))
    }


def is_where_author_has_it(deck: str, decks: Mapping[str, int], called: Mapping[int, str]) -> bool:
    """Whether a deck of the author's has the name here that its author gave it.

    `decks` are all that are known, by the author's names, and `called` the names here.
    """
    (above, _, last), (place, _, shown) = deck.rpartition("::"), called.get(decks[deck], "").rpartition("::")
    if deck_key(last) not in (deck_key(shown), deck_key(shown.rstrip("+"))):
        return False
    return deck_key(place) == deck_key(called.get(decks.get(above, 0), above))


def renamed_decks(source: FeedSource, history: FeedHistory, decks: Mapping[str, int]) -> dict[str, str]:
    """Return the new names of decks that the author renamed, by their old names.

    A deck is renamed if all of its notes are in one other deck now, which is new or has no notes from
    elsewhere, and if the old name is not used any more. A deck that only has subdecks is renamed if all of
    those have new names that begin with another one. Other decks below a renamed one follow it.
    """
    now = {level for note in source.package.notes.values() for level, _ in _levels(note.deck)}
    last = history.applied if history.applied >= 0 else history.since
    moves = Counter(
        (history.deck_at(note.guid, last), note.deck)
        for note in source.package.notes.values()
        if history.had(note.guid, last)
    )
    before = {level for old, _ in moves for level, _ in _levels(old)}
    own, below = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    largest: dict[str, tuple[int, str]] = {}
    for (old, new), count in moves.items():
        own[old].add(new)
        if new != old:
            largest[new] = max(largest.get(new, (0, "")), (count, old))
        for level, rest in _levels(old):
            below[level].add(new.removesuffix(f"::{rest}") if new.endswith(f"::{rest}") else "")
    renamed: dict[str, str] = {}
    for old in sorted(decks, key=lambda name: (name.count("::"), name)):
        targets = own.get(old) or below.get(old, {""})
        new = next(iter(targets))
        others = {_below_renamed(each, renamed) for each in decks if each != old}
        is_free_ = new and new != old and old not in now and new not in others
        origins = {origin for origin, target in moves if target == new}
        is_rename = old not in own or origins <= {old} or (new not in before and largest[new][1] == old)
        if is_free_ and len(targets) == 1 and is_rename:
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
