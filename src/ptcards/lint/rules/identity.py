"""The identity of notes from one release to the next, and the file `deck.lock`."""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.message import Message
from ptcards.lint.note import Overview
from ptcards.lint.registry import Rule


class ChangedId(Message, severity="warning"):
    """The id of a note seems to have changed.

    Why: an id is gone from the sources, and a note with another id is very similar to the note that had it.
    The id is the note's identity: with a new id, learners get a new note, and their reviews stay with the old
    one.

    For instance, if the note had the id `no-grad`:

        <!-- card: id=eval-no-grad -->

    Fix: if this is the same note, restore the old id; otherwise, do nothing.

        <!-- card: id=no-grad -->
    """


class IdOfAnother(Message, severity="error"):
    """An `id` belongs to another note that is still in the sources.

    Why: the note with this `id` would take over the other note's reviews, and learners would have to start
    over with the other note.

    For instance, if the first note was published as `0aB3xK9pQ2z`:

        ## What is a leaf?

        ## What is a graph?
        <!-- card: id=0aB3xK9pQ2z -->

    Fix: use another id. If you want this note to take over the reviews, first give the other note its own id.

        ## What is a leaf?

        ## What is a graph?
        <!-- card: id=graph -->
    """


class MaybeReworded(Message, severity="warning"):
    """A new note is similar to one that is gone.

    Why: it may be the old note in other words, or a different note. Sometimes, its question matches one old
    note and its answer another. A wrong guess would attach learners' reviews to the wrong note, so ptcards
    treats the note as new unless you say otherwise.

    For instance, if the answer was changed as well:

        ## Why is evaluation run under `torch.no_grad()`?

    Fix: if this is the same note, run `ptcards keep`, or add the id from the message to its card comment.

        $ ptcards keep
    """


class MaybeSameItem(Message, severity="warning or hint"):
    """A new item of a sequence, a set or an occlusion is similar to one that is gone, or in its place.

    Why: each item is a card. It may be the old item in other words, or a different one. A wrong guess would
    attach learners' reviews to the wrong item, so ptcards treats it as new unless you say otherwise.

    For instance, if the item was "Apply ReLU to the scores":

        1. Apply GELU to the scores

    Fix: if this is the same item, run `ptcards keep`, which prints a line for `deck.lock`; otherwise, do
    nothing.

        $ ptcards keep
    """


class PictureReshaped(Message, severity="warning"):
    """The picture below boxes has another shape than when the deck was last built.

    Why: the places of boxes are percentages of the picture. On a picture that was cropped or replaced, they
    may hide other parts than those that learners know.

    When:

        `heart.png` was 800 × 600 pixels, and is 600 × 600 now

    Fix: look at the boxes with `ptcards serve`, and move those that are wrong. The next build forgets the old
    shape.
    """


class MovedNotes(Message, severity="hint"):
    """Notes have moved to another deck.

    Why: Anki does not move cards on an update. Current learners keep these cards in the old deck, and only
    new learners get them in the new one.

    When:

        a file that moved to another folder

    Fix: tell your learners. `ptcards diff` prints a search that finds these cards in Anki's browser.
    """


class NoteTypeChanged(Message, severity="warning"):
    """A note has changed from a question to a cloze, or vice versa.

    Why: Anki cannot convert between the two on an update. Learners get a new note and keep the old one.

    When:

        a deletion that was added to the answer of a published note

    Fix: if the reviews matter, keep the kind with `kind=basic` or `kind=cloze`.

        <!-- card: kind=basic -->
    """


class PossiblePair(Message, severity="hint"):
    """A new note is where one that is gone was.

    Why: the two have little in common, but both were between the same neighbours. You may have rewritten a
    question with its answer, or written a different card. ptcards treats the note as new unless you say
    otherwise. Without git, ptcards only knows that one note of a deck is gone and one is new.

    For instance, if the question was "Why does evaluation run under `torch.no_grad()`?":

        ## What do you do before evaluation?

    Fix: if this is the same note, run `ptcards keep`, or add the id from the message to its card comment;
    otherwise, do nothing.

        $ ptcards keep
    """


class PublishedDraft(Message, severity="error"):
    """A published note is marked as a draft.

    Why: no output contains drafts, so the next build would retire the note. Learners would keep it without
    further updates.

    For instance, if the note was published:

        ## What is a leaf?
        <!-- card: draft -->

    Fix: remove `draft` from its card comment. To retire the note, delete it.

        ## What is a leaf?
    """


class RecognisedNote(Message, severity="hint"):
    """A reworded note has been recognised as a published note.

    Why: the question and answer together have changed only a little, so the note keeps its reviews. Only you
    know whether it is still the same card. `ptcards build` lists it again, as does `ptcards diff` before a
    release.

    For instance, if the question was "Why do we evaluate under `torch.no_grad()`?":

        ## Why is evaluation run under `torch.no_grad()`?

    Fix: if it is the same card, do nothing. If it is a different one, give it its own `id` before you build.
    """


class RenamedCollection(Message, severity="warning"):
    """The collection has been renamed.

    Why: Anki finds decks by their names. Learners keep their cards in the old deck and get new cards in a new
    one.

    For instance, if the deck was called "PyTorch":

        name = "PyTorch interview"

    Fix: keep the name, or ask learners to rename the deck in Anki before they import.
    """


class RevivedId(Message, severity="warning"):
    """A note uses the id of a retired note, but the two are not similar.

    Why: the note takes over the old note's reviews, which are wrong if it asks something else.

    For instance, if another question has had the id:

        <!-- card: id=no-grad -->

    Fix: give the note an id that has never been used.

        <!-- card: id=no-grad-twice -->
    """


class RevivedNote(Message, severity="hint"):
    """An `id` brings back a retired note and retires its stand-in.

    Why: `ptcards build` made a new note, because it could not know that this was the old one in other words.
    Now the id says so: learners get the text with the reviews of the old note. Those who have already
    received the stand-in keep it as a second note, without updates.

    For instance, if it was added after a build with `maybe-reworded`:

        <!-- card: id=0aB3xK9pQ2z -->

    Fix: do nothing. `ptcards diff` prints a search that finds the stand-in in Anki's browser.
    """


class MissingId(Rule, severity="hint", off=True):
    """A note has no id.

    This rule is off unless `enable` names it, because `deck.lock` identifies notes without an id, even if
    they are reworded or moved.

    Why: with an id, the question, answer and deck can all change in one release, and learners still keep
    their review history. This helps if a collection has many authors.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

    Fix: add an id that never changes and consists of letters, digits, `-`, `_` and `.`.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=eval-no-grad -->
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the heading of each note without an id; the suggested ids depend on all notes."""
        for note in notes:
            if not note.id:
                name = note.key.replace("~", ".")  # no id contains `~`
                fix = f"add `<!-- card: id={name} -->` below the heading"
                yield self.report_heading(note, "this note has no id", fix)


class DamagedLock(Message, severity="error"):
    """`deck.lock` cannot be read.

    Why: it contains the identity of every note ever published. A guess could give notes each other's reviews.

    When:

        a merge that left conflict markers in the file, or a line that was edited

    Fix: run the command in the message, and build again. During a merge, it keeps one side in full;
    otherwise, it restores the last committed lock that can be read. This is safe, because ptcards derives the
    identities of unpublished notes again.
    """


class FarFutureClock(Message, severity="warning"):
    """A build was dated after the year 2100.

    Why: Anki only accepts updates that are newer than what a learner has, so the times in the lock never go
    back. Every later change would be dated after this build, too. `ptcards build` reports this if the build
    needed the time.

    When:

        a clock or `SOURCE_DATE_EPOCH` in milliseconds instead of seconds

    Fix: correct the clock or `SOURCE_DATE_EPOCH`. If nobody has this build yet, restore `deck.lock` from git
    and build again.
    """


class ForeignLock(Message, severity="error"):
    """`deck.lock` belongs to a collection with another id.

    Why: either the folder was copied, or the id in `deck.toml` was changed. With another id, every note would
    be new to learners.

    For instance:

        # deck.lock
        id = "6f0c2c0e"

        # deck.toml
        id = "b3f6a1d8"

    Fix: write the lock's id in `deck.toml`. If the copy is meant to be a separate deck, keep the new id and
    delete the lock.

        # deck.toml
        id = "6f0c2c0e"
    """


class IgnoredLock(Message, severity="error"):
    """Git ignores `deck.lock` and does not track it.

    Why: the lock keeps learners' reviews with their notes. The next clone would lack it, and every reworded
    or moved note would be new to learners.

    For instance, in `.gitignore`:

        *.lock

    Fix: remove the line from `.gitignore`, or add `!deck.lock` below it, and commit the lock. A lock that is
    committed despite the line is fine.

        *.lock
        !deck.lock
    """


class LockAheadOfClock(Message, severity="warning"):
    """The newest note in the lock is dated in the future.

    Why: Anki only accepts updates that are newer than what a learner has, so the times in the lock never go
    back. Until the clock has caught up, each new time is one second after the previous one.

    When:

        a machine whose clock is a month behind

    Fix: correct the clock or `SOURCE_DATE_EPOCH`.
    """


class LostLock(Message, severity="error"):
    """`deck.lock` is missing, but git has a copy.

    Why: without the lock, reworded or moved notes would get new identities, and learners would get these
    notes a second time.

    When:

        a lock that was deleted, or left out of a copy

    Fix: run the command in the message. To start a new lock on purpose, use `ptcards build --new-lock`.
    """


class LostNotes(Message, severity="error"):
    """`deck.lock` lacks notes that are in the last commit's lock.

    Why: notes are never removed from a lock. With an older or shortened lock, notes would get new identities,
    or times that make Anki skip their updates.

    When:

        a lock that was copied from an older release

    Fix: run the command in the message, and build again.
    """


class RestoredLock(Message, severity="hint"):
    """Notes have been published since this `deck.lock` was written.

    Why: after `git revert`, or with an older lock, the times in the lock are older than those that learners
    have, so Anki would skip the notes. The next build gives the notes newer times, so every learner gets the
    current text.

    For instance:

        git revert v1.3

    Fix: build without `--locked`, and commit the lock.

        ptcards build
    """
