"""The identity of notes from one release to the next."""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class ChangedId(Rule, severity="warning"):
    """A note seems to have a different id than before.

    Why: the id is gone from the sources, and a note with another id is very similar to the one that had it.
    The id is the note's identity: with a new id it is a new note to learners, and their reviews stay with the
    old one.

    For instance:

        <!-- card: id=eval-no-grad -->      was: id=no-grad

    Fix: if it is the same note, restore the old id; otherwise leave it as it is.
    """


class CopiedNote(Rule, severity="hint"):
    """A note is a copy of one in another deck.

    Why: to learners, the copy is a separate note without reviews. The original keeps its reviews.

    For instance:

        the same question and answer in autograd.md and inference.md

    Fix: if one is enough, delete the other.
    """


class IdOfAnother(Rule, severity="error"):
    """An `id` belongs to another note that is still in the sources.

    Why: the note with the id would take over the reviews of the other one, and learners would start the other
    one again.

    For instance:

        ## What is a leaf?                     published as 0aB3xK9pQ2z

        ## What is a graph?
        <!-- card: id=0aB3xK9pQ2z -->

    Fix: use another id. If you want the reviews to move, first give the other note its own id.
    """


class MaybeReworded(Rule, severity="warning"):
    """A new note is similar to one that is gone.

    Why: it may be the old note reworded or a different one; or its question matches one old note and its
    answer another. A wrong guess would attach a learner's reviews to the wrong note, so ptcards treats it as
    new unless you say otherwise.

    For instance:

        ## Why is evaluation run under `torch.no_grad()`?      the answer was changed as well

    Fix: if it is the same note, add the id that the message names to its card comment.
    """


class MovedNotes(Rule, severity="hint"):
    """Notes have moved to another deck.

    Why: Anki does not move cards on an update. Current learners keep them in the old deck; only new learners
    get them in the new one.

    For instance:

        a file that moved to another folder

    Fix: tell your learners. `ptcards diff` prints a search that finds these cards in Anki's browser.
    """


class NoteTypeChanged(Rule, severity="warning"):
    """A note has changed from a question to a cloze, or back.

    Why: Anki cannot turn one into the other on an update. Learners get a new note and keep the old one.

    For instance:

        a deletion added to the answer of a published note

    Fix: if the reviews matter, keep the kind with `kind=basic` or `kind=cloze`.
    """


class RecognisedNote(Rule, severity="hint"):
    """A reworded note has been recognised as one already published.

    Why: the question and answer together have changed little, so the note keeps its reviews. Only you know
    whether it is the same card; `ptcards build` lists it again, as does `ptcards diff` before a release.

    For instance:

        ## Why is evaluation run under `torch.no_grad()`?     was: Why do we evaluate under `torch.no_grad()`?

    Fix: if it is the same card, do nothing. If it is a different one, give it its own `id` before you build.
    """


class RenamedCollection(Rule, severity="warning"):
    """The collection has been renamed.

    Why: Anki finds decks by name. Learners keep their cards in the old deck and get new cards in a new one.

    For instance:

        name = "PyTorch interview"      was: "PyTorch"

    Fix: keep the name, or ask learners to rename the deck in Anki before they import.
    """


class RevivedId(Rule, severity="warning"):
    """A note uses the id of a retired note that is not similar to it.

    Why: it takes over the old note's reviews, which are wrong if it asks something else.

    For instance:

        <!-- card: id=no-grad -->       used again for another question

    Fix: give it an id that has never been used.
    """


class MissingId(Rule, severity="hint", off=True):
    """The note has no id.

    Off unless `enable` names it: `deck.lock` identifies notes without an id, even when they are reworded or
    moved.

    Why: with an id, the question, answer and deck can all change in one release, and learners keep their
    review history. This suits a collection with many authors.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

    Fix: add an id that never changes, made of letters, digits, `-`, `_` and `.`.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=eval-no-grad -->
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each heading without one; the suggested id depends on all notes."""
        for note in notes:
            if not note.id:
                fix = f"add `<!-- card: id={note.key} -->` below it"
                yield self.report_heading(note, "a note without an id", fix)
