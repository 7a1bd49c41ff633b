"""What `ptcards add` refuses, in addition to what every check reports."""

from ptcards.lint.message import Message


class ChangesOtherNotes(Message, severity="error", elsewhere=True):
    """Notes to add would change notes that are there already.

    Why: an open fence or comment swallows what is below it, and the definition of a link or a footnote
    applies to the whole file. `ptcards add` only adds.

    For instance, if a note in the file contains `[docs]` as text:

        [docs]: https://example.org

    Fix: close every fence and comment, and give links and footnotes labels of their own.

        [leaf docs]: https://example.org
    """


class RequiredSection(Message, severity="error", elsewhere=True):
    """A note to add lacks a section that the collection requires.

    Why: `require` in the table `[add]` of `deck.toml` names sections that every added note needs. A source,
    for example, lets a reader check what a model wrote.

    For instance, with `require = ["sources"]`:

        ## What is a leaf tensor?

        A tensor that no recorded operation produced.

    Fix: add the section to the note.

        ### Sources

        https://docs.pytorch.org/docs/stable/notes/autograd.html
    """


class TakesReviews(Message, severity="error", elsewhere=True):
    """A note to add would take over the reviews of another note.

    Why: its text is what `deck.lock` knows of a published note that was edited since. The next build would
    take the added note for the published one, and the edited note for a new one.

    When:

        the published text of a note that you have just reworded

    Fix: leave it out, or build first, so that the lock knows the new text.
    """


class TooManyNotes(Message, severity="error", elsewhere=True):
    """More notes are to be added than are allowed at a time.

    Why: a model adds at most 50 notes in one call, so that a person can still read them.

    When:

        51 notes in one call of the tool `add`

    Fix: add them in several steps.
    """


class UsedId(Message, severity="error", elsewhere=True):
    """A note to add has an id that another note has, or had.

    Why: an id is the identity of a note. With the id of a published or retired note, the note would take over
    that note's reviews.

    For instance, with the id of a retired note:

        <!-- card: id=no-grad -->

    Fix: use an id that has never been used, or none: without an id, a note is known by its question.

        <!-- card: id=no-grad-2 -->
    """
