"""Reviews: what `ptcards reviews` lacks."""

from ptcards.lint.message import Message


class NoReviews(Message, severity="warning"):
    """A package contains no reviews of the notes in these sources.

    Why: `ptcards reviews` reads the review log of a package, which Anki only writes if you ask for it. Notes
    are matched by GUID, so the sources must be those of the deck in the package.

    For instance, with a package that `ptcards build` wrote:

        ptcards reviews deck.apkg

    Fix: in Anki, choose *File › Export* with *Include scheduling information*, and run the command in the
    folder of the deck.
    """
