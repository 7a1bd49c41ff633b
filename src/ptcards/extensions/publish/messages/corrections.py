"""Corrections by others: what `ptcards inbox` cannot use."""

from ptcards.lint.message import Message


class NoSuggestions(Message, severity="error"):
    """A file for the inbox contains no suggestion for this deck.

    Why: `ptcards inbox` reads a suggestion that the add-on wrote, a list of GitHub issues, or a package. The
    message says what is wrong. A block in an issue that is no suggestion is only a warning.

    When:

        a suggestion for another deck, or a list of issues without the field `body`

    Fix: name another file. `gh issue list --json number,title,body,author` prints issues as they are needed.
    """


class OtherDecks(Message, severity="warning"):
    """A package for the inbox has nothing new for this collection.

    Why: none of its notes is in a deck of the collection, and none of the collection's notes was changed.

    When:

        the package of another deck

    Fix: export the deck in which the notes were changed, with *File › Export*.
    """
