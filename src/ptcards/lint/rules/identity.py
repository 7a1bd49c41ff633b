"""Who is who from release to release."""

from ptcards.lint.registry import Rule


class ChangedId(Rule, severity="warning"):
    """An id is gone, and a note with another id is much like the one that had it.

    Why: the id is the note's identity. Under a new one it is a new note to learners, and their reviews stay
    with the old.

    For instance:

        <!-- card: id=eval-no-grad -->      was: id=no-grad

    Fix: take the old id back if it is the same note; if not, leave it.
    """


class CopiedNote(Rule, severity="hint"):
    """A note is a copy of one in another deck.

    Why: to learners the copy is a separate note, without reviews. The note in its old deck keeps them.

    For instance:

        the same question and answer in autograd.md and inference.md

    Fix: delete one of them if one is enough.
    """


class IdOfAnother(Rule, severity="error"):
    """An `id` names a note that is still in the sources.

    Why: the note with the id would take over the reviews of the other one, whose learners would start again.

    For instance:

        ## What is a leaf?                     the note that was published as 0aB3xK9pQ2z

        ## What is a graph?
        <!-- card: id=0aB3xK9pQ2z -->

    Fix: use another id. If the reviews are meant to move, give the other note an id of its own first.
    """


class MaybeReworded(Rule, severity="warning"):
    """A new note is much like one that is gone.

    Why: it may be the old one reworded, or another; or its question and its answer each speak for a different
    one. As a guess could give a learner's reviews to the wrong note, it is a new one until you say so.

    For instance:

        ## Why is evaluation run under `torch.no_grad()`?      the answer was changed as well

    Fix: if it is the same note, write the id that the message names into its card comment.
    """


class MovedNotes(Rule, severity="hint"):
    """Notes moved to another deck.

    Why: Anki moves no card on an update. Learners keep theirs in the old deck; only new learners get the new
    place.

    For instance:

        a file that moved to another folder

    Fix: tell learners; `ptcards diff` prints the search that finds those cards in Anki's browser.
    """


class NoteTypeChanged(Rule, severity="warning"):
    """A note turned from a question into a cloze, or back.

    Why: Anki cannot update a note across the two. Learners get a new one and keep the old.

    For instance:

        a deletion added to the answer of a published note

    Fix: keep the kind if the reviews matter: `kind=basic` or `kind=cloze`.
    """


class RecognisedNote(Rule, severity="hint"):
    """A note in other words will be taken for a published one.

    Why: question and answer together are still mostly what they were, so the note keeps its reviews. Only you
    know whether it is the same card; `ptcards build` lists it again, and `ptcards diff` before the release.

    For instance:

        ## Why is evaluation run under `torch.no_grad()`?      was: Why do we evaluate under `torch.no_grad()`?

    Fix: nothing, if it is the same card. If it is another, give it an `id` of its own before you build.
    """


class RenamedCollection(Rule, severity="warning"):
    """The collection has another name.

    Why: Anki finds decks by their names. Learners keep their cards in the old deck and get new ones in the
    new.

    For instance:

        name = "PyTorch interview"      was: "PyTorch"

    Fix: keep the name, or ask learners to rename the deck in Anki before they import.
    """


class RevivedId(Rule, severity="warning"):
    """A note has the id of one that was retired, and is unlike it.

    Why: it takes over the reviews of the old one; if it is another question, they are wrong for it.

    For instance:

        <!-- card: id=no-grad -->       used again for another question

    Fix: give it an id that was never used.
    """
