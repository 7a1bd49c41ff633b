"""Every finding about identity as a whole: its place, its words and what they mark.

The other tests say when there is a finding; these compare each of them completely.
"""

from dataclasses import replace

import pytest

from identity_notes import COLLECTION, TYPES, build, note, release
from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.identity import pairs as pairs_module
from ptcards.identity.advice import MOST_LISTED, Recognised, list_recognised, warn_of_recognised
from ptcards.identity.hashes import summarise
from ptcards.identity.history import History, compare_with_history
from ptcards.identity.lock import Lock, TypeRecord
from ptcards.identity.resolve import (
    check_frozen,
    check_lost_types,
    identify,
    locked_differences,
    lost_notes,
    published_drafts,
)
from ptcards.notes import Kind, LeftOutCard, Note, Text
from ptcards.notes.notetypes import Field, NoteType, Template

LOCK = Location("cards/deck.lock", 1)
WHY = note("Why `no_grad`?", "It saves memory.")
LEAF = note("What is a leaf?", "A tensor that you made.", line=5)
HEAD = len("Why `no_grad`?")


def released(*notes: Note) -> Lock:
    return release(*notes).lock._replace(new=False)


def guid_of(asked: Note, lock: Lock) -> str:
    (guid,) = (r.guid for r in lock.records if r.fingerprint.heading == asked.heading.markdown)
    return guid


def after(lock: Lock, *notes: Note, now: int = 2000) -> list[Diagnostic]:
    return build(lock, *notes, now=now)[1]


# New notes that may be old ones


def test_a_note_that_resembles_a_gone_one() -> None:
    old, new = note("What is a leaf of a graph?", "One."), note("What is a leaf in a graph?", "Two.", line=3)
    lock = released(old)
    assert after(lock, new) == [
        Diagnostic(
            Location("cards/a.md", 3),
            "maybe-reworded",
            Severity.WARNING,
            "this note is new to learners, but resembles one that is gone: `What is a leaf of a graph?`",
            f"if this is the same note, run `ptcards keep` or add `id={guid_of(old, lock)}` to its card comment to keep the reviews; "
            "if not, do nothing",
            len("What is a leaf in a graph?"),
        )
    ]


def test_a_note_that_resembles_two_and_has_two_rivals() -> None:
    old = [note(f"What would you call a leaf of {which} big graph?", f"{which}.") for which in ("a", "one")]
    lock = released(*old)
    new = [
        note(f"What would you call a leaf {which} a big graph?", f"{which} it.", line=line)
        for which, line in (("in", 3), ("at", 7), ("by", 9))
    ]
    one, two = (f"`id={guid_of(each, lock)}`" for each in old)
    assert after(lock, *new) == [
        Diagnostic(
            each.location,
            "maybe-reworded",
            Severity.WARNING,
            "this note is new to learners, but resembles one that is gone: "
            "`What would you call a leaf of a big graph?` or `What would you call a leaf of one big graph?`",
            f"if this and not one of 2 others is the same note, run `ptcards keep` or add {one} or {two} "
            "(in the same order, most likely first) to its card comment to keep the reviews; if not, do nothing",
            len("What would you call a leaf in a big graph?"),
        )
        for each in new
    ]


def test_a_new_note_that_resembles_a_retired_one_of_another_deck() -> None:
    old = note("Why is `no_grad` used?", deck="X")
    first = release(old, WHY)
    gone, _ = build(first.lock, WHY)
    back = note("What is the use of `no_grad`?", deck="X", line=9)
    assert after(gone.lock, WHY, back) == [
        Diagnostic(
            Location("cards/a.md", 9),
            "maybe-reworded",
            Severity.WARNING,
            "this note is new to learners, but resembles one that is gone: `Why is no_grad used?`",
            f"if this is the same note, run `ptcards keep` or add `id={guid_of(old, first.lock)}` to its card comment to keep the reviews; "
            "if not, do nothing",
            len("What is the use of `no_grad`?"),
        )
    ]


def test_a_note_with_another_id_than_the_one_that_is_gone() -> None:
    old, new = WHY._replace(id="no-grad"), WHY._replace(id="why-no-grad", answer=LEAF.answer)
    assert after(released(old), new) == [
        Diagnostic(
            Location("cards/a.md", 1),
            "changed-id",
            Severity.WARNING,
            "this note is new to learners, but resembles `id=no-grad`, which is gone: `Why no_grad?`",
            "if this is the same note, run `ptcards keep` or add `id=no-grad` to its card comment to keep the reviews; "
            "if not, do nothing",
            HEAD,
        )
    ]


@pytest.mark.parametrize(
    ("foreign", "way"),
    [
        pytest.param((), "run `ptcards keep` or add `id={}` to its card comment", id="a source of its own"),
        pytest.param(
            ("cards/a.md",), "run `ptcards keep`, which prints a line for `deck.lock`,", id="a vault"
        ),
        pytest.param(
            ("cards/b.md",), "run `ptcards keep` or add `id={}` to its card comment", id="another vault"
        ),
    ],
)
def test_a_note_in_the_place_of_a_gone_one(foreign: tuple[str, ...], way: str) -> None:
    new = note("Does evaluation need gradients?", "Not at all.", line=4)
    lock = released(WHY)
    _, found = identify([summarise(new)], lock, type_hashes=TYPES, foreign=foreign)
    assert found == [
        Diagnostic(
            Location("cards/a.md", 4),
            "possible-pair",
            Severity.HINT,
            "this note is new to learners, and may replace one that is gone: `Why no_grad?`",
            f"if this is the same note, {way.format(guid_of(WHY, lock))} to keep the reviews; if not, do nothing",
            len("Does evaluation need gradients?"),
        )
    ]


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [
        pytest.param(200, 200, False, id="40,000 pairs are compared"),
        pytest.param(201, 200, True, id="more are not"),
    ],
)
def test_too_many_notes_to_compare(old: int, new: int, is_told: bool) -> None:
    before = [note(f"Old {number}?", f"{number}") for number in range(old)]
    now = [note(f"Fresh {number}?", f"x{number}", line=number + 2) for number in range(new)]
    too_many = Diagnostic(
        Location("cards/a.md", 2),
        "maybe-reworded",
        Severity.WARNING,
        f"too many notes in `PyTorch::Autograd` to match: {new} new, {old} gone",
        "to keep reviews, restore the old text, give each note an `id` and build; then reword",
        len("Fresh 0?"),
    )
    assert after(released(*before), *now) == ([too_many] if is_told else [])


@pytest.mark.parametrize(("pairs", "told"), [(8, []), (7, ["D::b"])], ids=["all are compared", "too many"])
def test_too_many_notes_to_compare_in_all_decks_together(
    monkeypatch: pytest.MonkeyPatch, pairs: int, told: list[str]
) -> None:
    monkeypatch.setattr(pairs_module, "MOST_PAIRS_IN_ALL", pairs)
    decks = ("D::a", "D::b")
    before = [note(f"Old {deck} {n}?", f"{n}", deck=deck) for deck in decks for n in range(2)]
    now = [note(f"Fresh {deck} {n}?", f"x{n}", deck=deck) for deck in decks for n in range(2)]
    found = [each.message for each in after(released(*before), *now) if each.rule == "maybe-reworded"]
    assert found == [f"too many notes in `{deck}` to match: 2 new, 2 gone" for deck in told]


# Notes that were recognised


def test_what_is_recognised_is_told_before_a_build_and_listed_after_it() -> None:
    recognised = [Recognised(Location("cards/a.md", 4), "Why `this`?", "Why that?", "same answer", 12)]
    assert list(warn_of_recognised(recognised)) == [
        Diagnostic(
            Location("cards/a.md", 4),
            "recognised-note",
            Severity.HINT,
            "recognised as `Why this?` (same answer)",
            "if this is a different card, give it its own `id` before you build",
            12,
        )
    ]
    assert list(list_recognised(recognised, 2)) == [
        "recognised 1 note after rewording:",
        '  cards/a.md:4:1  "Why `this`?" -> "Why that?"  (same answer)',
        "recognised 2 notes with changed typography",
        "a different card? restore `deck.lock`, give the card its own id and build again",
    ]
    assert list(list_recognised((), 1)) == ["recognised 1 note with changed typography"]
    assert list(list_recognised((), 0)) == []


def test_at_most_twenty_recognised_notes_are_listed() -> None:
    some = [
        Recognised(Location("cards/a.md", number + 1), "Old?", "New?", "answer edited", 7)
        for number in range(MOST_LISTED + 1)
    ]
    lines = [f'  cards/a.md:{number + 1}:1  "Old?" -> "New?"  (answer edited)' for number in range(20)]
    another = "a different card? restore `deck.lock`, give the card its own id and build again"
    assert list(list_recognised(some[:20], 0)) == ["recognised 20 notes after rewording:", *lines, another]
    assert list(list_recognised(some, 0)) == [
        "recognised 21 notes after rewording:",
        *lines,
        "  and 1 more; `ptcards diff` lists them all",
        another,
    ]


@pytest.mark.parametrize(
    ("heading", "shown"),
    [("a" * 80, "a" * 80), ("a" * 81, "a" * 79 + "…"), ("`b`" + "a" * 79, "b" + "a" * 79)],
    ids=["80 characters", "81 characters", "marks of code do not count"],
)
def test_a_long_heading_is_cut_in_a_message(heading: str, shown: str) -> None:
    cloze = note(heading, kind=Kind.CLOZE)
    (found,) = after(released(note(heading)), cloze)
    assert found.message == f"`{shown}` changed from a question to a cloze: Anki cannot update it"


# Decks, kinds and ids


def test_a_collection_with_another_name() -> None:
    lock = released(WHY, LEAF)
    renamed = [each._replace(deck=each.deck.replace("PyTorch", "Torch")) for each in (WHY, LEAF)]
    assert after(lock, *renamed) == [
        Diagnostic(
            Location("cards/deck.toml", 1),
            "renamed-collection",
            Severity.WARNING,
            "the collection is now called `Torch`; learners know it as `PyTorch`",
            "keep the name, or ask learners to rename the deck to `Torch` in Anki before they import",
        )
    ]
    assert after(lock._replace(shown=""), *renamed) == []
    # A part of the notes is elsewhere: these have moved, and the collection still has its name.
    assert [each.rule for each in after(lock, WHY, renamed[1])] == ["moved-notes"]


def test_notes_that_moved() -> None:
    moved = [each._replace(deck="PyTorch::Graphs") for each in (WHY, LEAF)]
    help_of_moves = "tell learners how to move them: `ptcards diff` prints the search"
    assert after(released(WHY, LEAF), *moved) == [
        Diagnostic(
            Location("cards/a.md", 1),
            "moved-notes",
            Severity.HINT,
            "2 notes moved from `PyTorch::Autograd` to `PyTorch::Graphs`; learners' cards stay in `PyTorch::Autograd`",
            help_of_moves,
            HEAD,
        )
    ]
    renamed = [WHY._replace(deck="Torch::Autograd"), LEAF._replace(deck="Torch::Graphs")]
    assert [(each.rule, each.location, each.help) for each in after(released(WHY, LEAF), *renamed)] == [
        (
            "renamed-collection",
            Location("cards/deck.toml", 1),
            "keep the name, or ask learners to rename the deck to `Torch` in Anki before they import",
        ),
        ("moved-notes", Location("cards/a.md", 5), help_of_moves),
    ]


@pytest.mark.parametrize(
    ("named", "way"),
    [
        (Kind.CLOZE, "from a question to a cloze"),
        (None, "from a question to the note type `word`"),
    ],
    ids=["a cloze", "a note type of the collection"],
)
@pytest.mark.parametrize("by", ["id", "question", "both"])
def test_a_note_with_another_note_type(named: Kind | None, way: str, by: str) -> None:
    before = WHY._replace(id="" if by == "question" else "why")
    now = before._replace(heading=LEAF.heading) if by == "id" else before._replace(deck=before.deck.upper())
    if named:
        other = now._replace(kind=named)
        summary = summarise(other)
    else:
        summary = summarise(now)
        summary = summary._replace(fingerprint=summary.fingerprint._replace(note_type="x-word"))
    _, found = identify([summary], released(before), type_hashes=TYPES)
    assert [each for each in found if each.rule == "note-type-changed"] == [
        Diagnostic(
            Location("cards/a.md", 1),
            "note-type-changed",
            Severity.WARNING,
            f"`Why no_grad?` changed {way}: Anki cannot update it",
            "keep the kind to keep the reviews; otherwise learners start again with a new note",
            len("What is a leaf?") if by == "id" else HEAD,
        )
    ]


def test_an_id_that_brings_a_note_back() -> None:
    first = release(WHY, LEAF)
    old = guid_of(WHY, first.lock)
    reworded = note("Is there a use for inference mode?", "Yes: speed.", line=2)
    second, _ = build(first.lock, reworded, LEAF)
    assert after(second.lock, reworded._replace(id=old), LEAF) == [
        Diagnostic(
            Location("cards/a.md", 2),
            "revived-note",
            Severity.HINT,
            f"`id={old}` brings back `Why no_grad?`, and retires its stand-in `Is there a use for inference mode?`",
            "no action needed: learners get this text with the reviews of the old note",
            len("Is there a use for inference mode?"),
        )
    ]


@pytest.mark.parametrize(
    ("now", "is_told"),
    [
        pytest.param(LEAF, True, id="nothing is as it was"),
        pytest.param(LEAF._replace(heading=WHY.heading), False, id="the same question"),
        pytest.param(LEAF._replace(answer=WHY.answer), False, id="the same answer"),
        pytest.param(LEAF._replace(heading=Text("Why is there `no_grad`?")), False, id="a like question"),
    ],
)
def test_an_id_that_was_retired_with_another_note(now: Note, is_told: bool) -> None:
    second, _ = build(release(WHY._replace(id="x")).lock)
    told = Diagnostic(
        Location("cards/a.md", 5),
        "revived-id",
        Severity.WARNING,
        "`id=x` revives the retired note `Why no_grad?` and its reviews",
        "if this is a different note, use an id that was never used",
        len("What is a leaf?"),
    )
    assert after(second.lock, now._replace(id="x")) == ([told] if is_told else [])


def test_a_short_answer_makes_no_stand_in() -> None:
    """Many notes share one, so it does not tell what a note that comes back replaces."""
    first = release(note("Is it fast?", "Yes."), LEAF)
    old = guid_of(note("Is it fast?"), first.lock)
    second, _ = build(first.lock, note("Was Rome built in a day, or not?", "No."), LEAF)
    again = note("Does anybody use it today?", "No.")._replace(id=old)
    assert [each.rule for each in after(second.lock, again, LEAF)] == ["revived-id"]


# Clocks and git


def test_a_lock_from_the_future() -> None:
    first = release(WHY, now=3 * 86_400 + 1000).lock._replace(new=False)
    assert after(first, WHY._replace(tags=("a",)), now=1000) == [
        Diagnostic(
            LOCK,
            "lock-ahead-of-clock",
            Severity.WARNING,
            "the newest note is dated 3 days in the future",
            "correct this machine's clock or `SOURCE_DATE_EPOCH`; until then, each build dates its changes one second "
            "after the newest note",
        )
    ]
    assert after(first._replace(shown=""), WHY._replace(tags=("a",)), now=1000) == []


GIT = "run `git checkout abc1234 -- cards/deck.lock` and build again"
LOST = (
    Diagnostic(
        LOCK,
        "lost-lock",
        Severity.ERROR,
        "`deck.lock` is missing, but commit abc1234 has it",
        f"{GIT}, or start a new lock: build with `--new-lock`",
    ),
    Diagnostic(LOCK, "lost-notes", Severity.ERROR, "`deck.lock` lacks 1 note that commit abc1234 has", GIT),
)
RESTORED = Diagnostic(
    LOCK,
    "restored-lock",
    Severity.HINT,
    "2 notes published after this lock was written",
    "no action needed: learners will get the current text of these notes",
)
IGNORED = Diagnostic(
    LOCK,
    "ignored-lock",
    Severity.ERROR,
    "git ignores `deck.lock`",
    "remove the line from `.gitignore`, or add `!deck.lock` below it; then commit the lock",
)


def test_what_a_lock_lost_since_the_last_commit() -> None:
    lock = released(WHY, LEAF)
    guids = [record.guid for record in lock.records]
    head = History("abc1234", frozenset(guids), frozenset(guids), dict.fromkeys(guids, 1000), is_in_head=True)
    empty = Lock(COLLECTION, shown=lock.shown)
    part = lock._replace(records=lock.records[:1])
    newer = head._replace(tag_times=dict.fromkeys(guids, 1001))
    ignored = head._replace(is_ignored=True)

    def told(about: Lock, history: History) -> list[Diagnostic]:
        return list(compare_with_history(about, history))

    assert told(lock, head) == []
    assert told(lock._replace(shown=""), newer) == []
    assert told(empty, head) == [LOST[0]]
    assert told(part, head) == [LOST[1]]
    assert told(lock, newer) == [RESTORED]
    assert told(lock, ignored) == [IGNORED]
    assert told(lock, ignored._replace(is_tracked=True)) == []
    assert list(compare_with_history(part, ignored, new_lock=True)) == [IGNORED]
    assert list(compare_with_history(lock, newer, new_lock=True)) == [RESTORED]


# What a build refuses


OWN = NoteType(
    "x-word",
    17,
    "Word",
    (Field("Front"), Field("Back")),
    (Template("Card 1", None, "{{Front}}", "{{Back}}"),),
    ".card {}",
    is_own=True,
)
TOML = Location("cards/note-types/word/notetype.json", 1)


def frozen(now: NoteType, record: TypeRecord, adopted: tuple[str, ...] = ()) -> list[Diagnostic]:
    lock = Lock(COLLECTION, (record,))
    return list(check_frozen(lock, [now], lambda _key: TOML, adopted=adopted))


def test_a_note_type_that_learners_have() -> None:
    record = TypeRecord("x-word", 1000, OWN.digest, 17, "Word")
    styled = replace(OWN, css=".card {color: red}")
    assert frozen(OWN, record) == []
    assert frozen(styled, record) == []
    assert frozen(styled, record._replace(name="x-other")) == []
    assert frozen(replace(OWN, id=18), record._replace(anki_id=0)) == []
    assert frozen(replace(OWN, id=18), record) == [
        Diagnostic(
            TOML,
            "frozen-note-type",
            Severity.ERROR,
            "the id of the note type `Word` must be 17, as in `deck.lock`",
            'set `"id": 17` in `notetype.json`',
        )
    ]
    other = replace(OWN, fields=(Field("Front"), Field("Other")))
    changed = Diagnostic(
        TOML,
        "frozen-note-type",
        Severity.ERROR,
        "the fields, templates or kind of `Word` differ from what learners have",
        "restore them; if nobody has the deck, delete the line `type x-word` from `deck.lock`",
    )
    assert frozen(other, record) == [changed]
    assert frozen(other, record, adopted=("x-word",)) == [changed]
    # A merge left no hash, or an older version only that of the look: nobody can tell.
    assert frozen(other, record._replace(hash=record.hash[:12])) == []


def test_the_styling_of_a_note_type_that_came_with_a_deck() -> None:
    record = TypeRecord("x-word", 1000, OWN.digest, 17, "Word")
    styled = replace(OWN, css=".card {color: red}")
    assert frozen(OWN, record, adopted=("x-word",)) == []
    assert frozen(styled, record, adopted=("x-word",)) == [
        Diagnostic(
            TOML,
            "shared-look",
            Severity.WARNING,
            "the new styling of `Word` affects all decks that use it",
            "if learners have other decks with this note type, keep its styling",
        )
    ]


def test_all_note_types_are_compared() -> None:
    """None of those that are in order ends the comparison."""
    other = replace(OWN, key="x-verb", name="Verb", id=4)
    unpublished = replace(OWN, key="x-new", name="New")
    records = (
        TypeRecord("qa", 1000, "a" * 12),
        TypeRecord("x-verb", 1000, OWN.digest, 5, "Verb"),
        TypeRecord("x-word", 1000, replace(OWN, css="x").digest, 17, "Word"),
    )
    found = check_frozen(
        Lock(COLLECTION, records), [unpublished, OWN, other], lambda _key: TOML, adopted=("x-word",)
    )
    assert [each.rule for each in found] == ["shared-look", "frozen-note-type"]


def test_a_note_type_whose_folder_is_missing() -> None:
    lock = released(WHY, LEAF._replace(kind=Kind.CLOZE))
    retired, _ = build(lock, WHY)
    folders = {"cloze": "note-types/cloze", "x-word": "note-types/word"}
    lost = Diagnostic(
        Location("cards/deck.lock", 1, 0),
        "note-type-lost",
        Severity.ERROR,
        "the note type of 1 published note, `note-types/cloze`, is missing",
        "restore the folder; to retire these notes, build without them before you delete it",
    )
    assert list(check_lost_types(lock, folders)) == [lost]
    assert list(check_lost_types(lock, {})) == []
    assert list(check_lost_types(retired.lock, folders)) == []


def test_a_draft_of_a_published_note() -> None:
    lock = released(WHY, LEAF)
    without_leaf, _ = build(lock, WHY)
    notes, drafts = [summarise(WHY)], [summarise(note("New?", line=9)), summarise(LEAF)]
    assert list(published_drafts(notes, drafts, lock)) == [
        Diagnostic(
            Location("cards/a.md", 5),
            "published-draft",
            Severity.ERROR,
            "a published note cannot be a draft",
            "remove `draft` from its card comment; to retire the note, delete it",
            2,
        )
    ]
    assert list(published_drafts(notes, [], lock)) == []
    assert list(published_drafts(notes, drafts, without_leaf.lock)) == []
    # A copy of a note that is there is only a draft.
    assert list(published_drafts(notes, [summarise(WHY)], lock)) == []


def test_a_published_card_that_is_left_out() -> None:
    lock = released(WHY, LEAF, LEAF._replace(heading=Text("a" * 300)))
    place = Location("cards/vault.md", 3)

    def left_out(heading: str, cause: str, retired: Lock = lock) -> list[Diagnostic]:
        return list(lost_notes(retired.records, [LeftOutCard(place, heading, cause)], lock, LOCK))

    def told(cause: str) -> Diagnostic:
        return Diagnostic(
            place,
            "left-out",
            Severity.ERROR,
            f"a published card is left out: {cause}",
            "write what is missing, or remove the card to retire it",
        )

    assert left_out("What  is a\tleaf?", "no-answer") == [told("`no-answer`")]
    assert left_out("What is a leaf?", "it has no answer") == [told("it has no answer")]
    assert left_out("a" * 250, "no-answer") == [told("`no-answer`")]
    assert left_out("What is a stem?", "no-answer") == []
    assert left_out("", "no-answer") == []
    assert left_out("What is a leaf?", "no-answer", lock._replace(records=())) == []


@pytest.mark.parametrize(
    ("gone", "live", "is_told"), [(9, 20, False), (10, 50, False), (10, 49, True), (1_200, 1_300, True)]
)
def test_many_notes_that_are_missing(gone: int, live: int, is_told: bool) -> None:
    notes = [note(f"What is {number} for?", f"For {number}.", line=number + 1) for number in range(live)]
    lock = released(*notes)
    many = Diagnostic(
        LOCK,
        "many-gone",
        Severity.ERROR,
        f"{gone:,} of {live:,} published notes are missing",
        "check how the files are read; run `ptcards build --accept` if this is intended",
    )
    assert list(lost_notes(lock.records[:gone], (), lock, LOCK)) == ([many] if is_told else [])
    assert list(lost_notes(lock.records[:gone], (), lock, LOCK, accept=True)) == []


def test_retired_notes_are_not_counted_as_missing_again() -> None:
    notes = [note(f"What is {number} for?", f"For {number}.", line=number + 1) for number in range(60)]
    retired, _ = build(released(*notes), *notes[:49])
    (found,) = lost_notes(retired.lock.records[:10], (), retired.lock, LOCK)
    assert found.message == "10 of 49 published notes are missing"


def test_every_part_of_a_note_that_differs_from_a_lock() -> None:
    lock = released(WHY, LEAF)
    first = summarise(WHY._replace(heading=Text("Why `no_grad`, then?"), id=guid_of(WHY, lock)))
    second = summarise(LEAF._replace(answer=Text("One that you made.")))
    identities, _ = identify([first, second], lock, type_hashes=TYPES | {"x-new": "e" * 12})
    history = History(times={record.guid: 1001 for record in lock.records})
    assert locked_differences(identities, [first, second], lock, history) == (
        "cards/a.md:1:1: Why `no_grad`, then?: changed id, question, heading",
        "cards/a.md:5:1: What is a leaf?: changed answer",
        "cards/deck.lock: note type x-new: new",
        "cards/deck.lock: 2 notes published after this lock was written",
    )
