"""A simulated author, and a reference of which note is which, for the state machine of identity.

Each note has an attribute `who`, so the reference knows which notes a person would call the same.
`_is_decidable` prevents edits that would confuse even a person who compares both releases: a note is deleted
and another with its question is added to the deck in one step; a question and answer leave one deck while the
same appear in another; a note without a distinctive name is deleted and another is added to its deck. If the
text of the first note is still recognisable (`_left_a_trace`), the edit is made, and neither note may get the
other's GUID.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature

from identity_notes import LONG, TYPES, empty_lock, note, resolve
from ptcards.identity.lock import Lock
from ptcards.notes import Kind, Note, Text, topic_of

DECKS = ("P::Autograd", "P::Tensors", "P::Optim")
TEMPLATES = (
    "What does {} return?",
    "What does {} return for an empty tensor?",
    "Which dtype does {} give?",
    "Why would you call {} before the backward pass of a model?",
    "When is {} slower than a plain loop over the rows?",
)
GENERIC = ("What is the default?", "What is its shape?", "Which one is faster?")
SHORT = ("float32", "`True`", "A new tensor.", "It raises an error.")

WEIGHTS = {
    "add": 10,
    "ask_the_same_elsewhere": 2,
    "ask_an_old_wording": 2,
    "edit_answer": 5,
    "edit_tags": 2,
    "reword": 5,
    "rewrite": 3,
    "move": 3,
    "set_id": 3,
    "set_kind": 2,
    "rename_deck": 1,
    "delete": 4,
    "bring_back": 3,
    "reorder": 1,
    "release": 8,
}
"""The edits of an author, and how frequent they are."""


@dataclass(frozen=True)
class Written:
    """A note in the sources and its identity.

    `subject` is the name that only this note mentions, or empty.
    """

    who: int
    subject: str
    note: Note

    def __repr__(self) -> str:
        said = self.note
        return f"{self.who}: {said.deck} | {said.heading.markdown} | {said.answer.markdown} | {said.id} {said.kind}"

    @property
    def question(self) -> tuple[str, str]:
        return (self.note.note_type, self.note.heading.markdown)

    @property
    def place(self) -> tuple[str, str, str]:
        return (*self.question, self.note.deck)

    @property
    def deck(self) -> str:
        """A deck, whatever its current name is."""
        return self.note.deck.rstrip("12 ")

    @property
    def is_long(self) -> bool:
        return len(self.note.answer.markdown.split()) >= 6


@dataclass
class World:
    """The author's sources, their last released version, and what learners received."""

    written: list[Written] = field(default_factory=list)
    released: dict[int, Written] = field(default_factory=dict)
    """by `who`; a deleted note keeps its last state"""
    lock: Lock = field(default_factory=empty_lock)
    guids: dict[int, str] = field(default_factory=dict)
    owners: dict[str, int] = field(default_factory=dict)
    ghosts: list[Written] = field(default_factory=list)
    """notes as they were when they lost their GUID; in the lock they are retired"""
    there: set[int] = field(default_factory=set)
    """the notes in the sources at the last complete release"""
    now: int = 1000
    born: int = 0
    releases: int = 0
    edits: Counter[str] = field(default_factory=Counter)
    """published notes that learners had, by what changed in them"""
    needless: Counter[str] = field(default_factory=Counter)
    """the published notes that got another GUID"""
    unwarned: int = 0
    """the needlessly new notes without a message"""

    # The author's edits. Every number selects a candidate, modulo the number of candidates.

    def add(self, deck: int, template: int, answer: int) -> None:
        """Write a note about a new subject or, with a higher template number, about no subject."""
        who = self._next()
        choice = template % (len(TEMPLATES) + 1)
        subject = f"`torch.f{who}`" if choice < len(TEMPLATES) else ""
        text = TEMPLATES[choice].format(subject) if subject else GENERIC[answer % len(GENERIC)]
        new = note(text, self._answer(who, answer), deck=DECKS[deck % len(DECKS)])
        self._try([*self.written, Written(who, subject, new)])

    def ask_the_same_elsewhere(self, which: int, deck: int, answer: int) -> None:
        """Ask a question of one deck in another one; with answer 0 it is a copy."""
        if self.written:
            old = self.written[which % len(self.written)]
            who = self._next()
            text = self._answer(who, answer) if answer else old.note.answer.markdown
            new = old.note._replace(deck=DECKS[deck % len(DECKS)], answer=Text(text), id="")
            self._try([*self.written, Written(who, old.subject, new)])

    def ask_an_old_wording(self, which: int, answer: int) -> None:
        """Ask the first question of a reworded note again, in the words that its GUID is derived from."""
        if self.written:
            old = self.written[which % len(self.written)]
            who = self._next()
            wording = TEMPLATES[0].format(old.subject) if old.subject else GENERIC[0]
            new = note(wording, self._answer(who, answer), deck=old.note.deck)
            self._try([*self.written, Written(who, old.subject, new)])

    def edit_answer(self, which: int, answer: int) -> None:
        self._change(which, lambda old: {"answer": Text(self._answer(old.who, answer))})

    def edit_tags(self, which: int, tag: int) -> None:
        self._change(which, lambda _: {"tags": (f"t{tag % 3}",)})

    def reword(self, which: int, template: int) -> None:
        self._change(which, lambda old: {"heading": Text(self._wording(old, template))})

    def rewrite(self, which: int, template: int, answer: int) -> None:
        self._change(
            which,
            lambda old: {
                "heading": Text(self._wording(old, template)),
                "answer": Text(self._answer(old.who, answer)),
            },
        )

    def move(self, which: int, deck: int) -> None:
        self._change(which, lambda _: {"deck": DECKS[deck % len(DECKS)]})

    def set_id(self, which: int, number: int) -> None:
        """Add or change an id, or remove it (number 0)."""
        self._change(which, lambda old: {"id": f"id-{old.who}-{number % 3}" if number % 3 else ""})

    def set_kind(self, which: int, kind: int) -> None:
        kinds = (Kind.BASIC, Kind.REVERSED, Kind.TYPED, Kind.CLOZE)
        self._change(which, lambda _: {"kind": kinds[kind % len(kinds)]})

    def rename_deck(self, deck: int, number: int) -> None:
        """Rename a deck with all its notes; later notes may bring the old name back."""
        old = DECKS[deck % len(DECKS)]
        new = f"{old} {number % 3}" if number % 3 else old
        names = {old, f"{old} 1", f"{old} 2"}
        self._try(
            [
                replace(each, note=each.note._replace(deck=new)) if each.note.deck in names else each
                for each in self.written
            ]
        )

    def delete(self, which: int) -> None:
        if self.written:
            place = which % len(self.written)
            self._try([*self.written[:place], *self.written[place + 1 :]])

    def bring_back(self, which: int, answer: int) -> None:
        """Bring back a retired note unchanged, or (answer not 0) with another answer."""
        here = {each.who for each in self.written}
        gone = [each for who, each in sorted(self.released.items()) if who not in here]
        if gone:
            old = gone[which % len(gone)]
            text = self._answer(old.who, answer) if answer else old.note.answer.markdown
            self._try([*self.written, replace(old, note=old.note._replace(answer=Text(text)))])

    def reorder(self, which: int, to: int) -> None:
        if self.written:
            each = self.written.pop(which % len(self.written))
            self.written.insert(to % (len(self.written) + 1), each)

    # The results of ptcards.

    def release(self, selected: frozenset[str] | None = None, *, refresh: bool = False) -> None:
        """Build all or the files of these decks, and compare the result with the reference.

        If ptcards warns that something is undecided, no part is built, because the next build would know
        less.
        """
        if not self._is_decidable(self.written, by_traces=False) or self._has_doubts():
            selected = None
        self.now += 1
        before = self.lock
        guids, warned = self.build(selected, refresh=refresh)
        assert len(set(guids)) == len(guids)
        self.releases += 1
        for position, (each, guid) in enumerate(zip(self.written, guids, strict=True)):
            assert self.owners.get(guid, each.who) == each.who, self._story(each, self.owners[guid])
            if selected is None or each.note.deck in selected:
                self._publish(each, guid, is_warned=position in warned)
        times = {record.guid: record for record in before.records}
        for record in self.lock.records:
            old = times.get(record.guid)
            if old is not None and record.mod <= old.mod:
                said, was = record.fingerprint, old.fingerprint
                is_moved = topic_of(said.deck) != topic_of(was.deck)
                assert (said.question, said.answer) == (was.question, was.answer)
                assert said.content == was.content or is_moved
        if selected is None:
            self.there = {each.who for each in self.written}

    def build(self, selected: frozenset[str] | None, *, refresh: bool) -> tuple[list[str], set[int]]:
        """Return the GUIDs of all notes, and the positions of notes with a message for the author."""
        while True:
            notes = self.numbered()
            resolution, diagnostics = resolve(
                notes,
                self.lock,
                type_hashes=TYPES,
                clock=lambda: self.now,
                refresh=refresh,
                selected=selected,
            )
            owners = [each.message for each in diagnostics if each.rule == "id-of-another"]
            if not owners:
                break
            for position, numbered in enumerate(notes):
                if any(f" {numbered.location}," in said for said in owners):
                    self.written[position] = with_own_id(self.written[position])
        self.lock = resolution.lock
        places = {each.location for each in diagnostics}
        warned = {position for position, each in enumerate(notes) if each.location in places}
        return [each.guid for each in resolution.notes], warned

    def numbered(self) -> tuple[Note, ...]:
        """Return the notes with their locations, as the parser would; each deck is a file."""
        return tuple(
            each.note._replace(location=each.note.location._replace(path=each.note.deck, line=line))
            for line, each in enumerate(self.written, 1)
        )

    def _is_decidable(self, written: Sequence[Written], *, by_traces: bool = True) -> bool:
        now = {each.who: each for each in written}
        released = self.released
        loose = [
            *self.ghosts,
            *(
                old
                for who, old in released.items()
                if who not in now or who not in self.there or not _is_plainly(old, now[who])
            ),
        ]
        return not any(
            old.who != each.who
            and _could_be(old, each)
            and not (by_traces and self._left_a_trace(old, each, written))
            for each in written
            if each.who not in self.there or not _is_plainly(released[each.who], each)
            for old in loose
        )

    def _left_a_trace(self, old: Written, new: Written, written: Sequence[Written]) -> bool:
        """Whether a moved or reworded note is identified by its text, so that another may ask its question.

        No other note may have that text, now or ever.
        """
        known = (*written, *self.released.values(), *self.ghosts)
        went = next((each for each in written if each.who == old.who), None)
        if went is None or old in self.ghosts or old.note.answer.markdown == new.note.answer.markdown:
            return False
        if any(each.who != old.who and _has_text(old, each) for each in known):
            return False
        return _has_text(old, went) and (went.question == old.question or bool(old.subject))

    def _story(self, each: Written, owner: int) -> str:
        return "\n".join(
            [
                f"{each}",
                f"has not the GUID it should have; it may be that of: {self.released[owner]}",
                f"the sources: {self.written}",
                f"the lock: {[(self.owners.get(r.guid), r.live, r.fingerprint) for r in self.lock.records]}",
                f"lost before: {self.ghosts}",
            ]
        )

    def _publish(self, each: Written, guid: str, *, is_warned: bool) -> None:
        before, was = self.guids.get(each.who), self.released.get(each.who)
        if before is not None and was is not None:
            edit = _difference(was, each)
            if edit == "question" and each.is_long and each.note.answer.markdown != LONG:
                edit = "question over a long answer of its own"
            self.edits[edit] += 1
            if before != guid:
                # An id or an old wording brings back the state of the note before it lost its GUID.
                has_past = any(ghost.who == each.who for ghost in self.ghosts)
                is_doubtful = is_warned and self._has_rival(was, each)
                assert has_past or is_doubtful or not _is_plainly(was, each), self._story(each, each.who)
                assert is_warned or was.question != each.question or each.who not in self.there
                self.ghosts.append(was)
                self.needless[edit] += 1
                self.unwarned += not is_warned and each.who in self.there
        self.guids[each.who] = guid
        self.owners[guid] = each.who
        self.released[each.who] = each

    def _has_rival(self, old: Written, new: Written) -> bool:
        """Whether another note now has the old text of a note, or had its new text before."""
        others = [each for each in self.written if each.who != old.who]
        before = [each for each in (*self.released.values(), *self.ghosts) if each.who != old.who]
        return any(_has_text(old, each) for each in others) or any(_has_text(new, each) for each in before)

    def _has_doubts(self) -> bool:
        return any(
            each.who in self.released and self._has_rival(self.released[each.who], each)
            for each in self.written
        )

    def _next(self) -> int:
        self.born += 1
        return self.born

    def _answer(self, who: int, number: int) -> str:
        if number % 3 == 0:
            return SHORT[number // 3 % len(SHORT)]
        return f"{LONG} Number {who} of {number}." if number % 3 == 1 else LONG

    def _wording(self, old: Written, template: int) -> str:
        if old.subject:
            return TEMPLATES[template % len(TEMPLATES)].format(old.subject)
        return GENERIC[template % len(GENERIC)]

    def _change(self, which: int, parts: Callable[[Written], dict[str, object]]) -> None:
        if self.written:
            place = which % len(self.written)
            old = self.written[place]
            new = replace(old, note=old.note._replace(**parts(old)))  # type: ignore[arg-type]  # fields by name
            self._try([*self.written[:place], new, *self.written[place + 1 :]])

    def _try(self, written: list[Written]) -> None:
        places = [(each.note.deck, each.note.heading.markdown) for each in written]
        if len(set(places)) == len(places) and self._is_decidable(written):
            self.written = written


def with_own_id(each: Written) -> Written:
    """Return a note with an id.

    Its author adds one when another note claims the record that matches its text.
    """
    return replace(each, note=each.note._replace(id=f"own-{each.who}"))


def _is_plainly(old: Written, new: Written) -> bool:
    """Whether anybody would call these the same note.

    They share an id, or a question in the same deck without a new id.
    """
    if old.note.note_type != new.note.note_type:
        return False
    if old.note.id:
        return old.note.id == new.note.id
    return old.place == new.place


def _has_text(one: Written, other: Written) -> bool:
    """Whether two notes share their text or, in the same deck, a long answer."""
    if one.note.note_type != other.note.note_type or one.note.answer.markdown != other.note.answer.markdown:
        return False
    return one.question == other.question or (one.is_long and one.deck == other.deck)


def _difference(old: Written, new: Written) -> str:
    """Return which part of a note changed."""
    parts = {
        "type": old.note.note_type != new.note.note_type,
        "deck": old.note.deck != new.note.deck,
        "question": old.note.heading.markdown != new.note.heading.markdown,
        "answer": old.note.answer.markdown != new.note.answer.markdown,
        "id": old.note.id != new.note.id,
    }
    return " + ".join(part for part, is_changed in parts.items() if is_changed) or "nothing"


def _could_be(old: Written, new: Written) -> bool:
    """Whether a person could mistake one note for another that was deleted."""
    if old.question == new.question and (
        old.note.answer.markdown == new.note.answer.markdown or old.deck == new.deck
    ):
        return True
    if old.deck != new.deck or old.note.note_type != new.note.note_type:
        return False
    same_answer = old.note.answer.markdown == new.note.answer.markdown
    return (same_answer and old.is_long) or not old.subject or not new.subject or old.subject == new.subject


def random_sequence(world: World, seed: int, steps: int = 60) -> None:
    """Let an author make this many random edits, and release at the end."""
    chance = random.Random(seed)
    for action in chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=steps):
        if action == "release":
            one_file = frozenset({chance.choice(DECKS)}) if chance.random() < 0.15 else None
            world.release(one_file, refresh=chance.random() < 0.05)
        else:
            do = getattr(world, action)
            do(*(chance.randrange(60 if name == "which" else 12) for name in signature(do).parameters))
    world.release()
