"""Decks: their names, levels and descriptions."""

from ptcards.lint.registry import Rule


class BadDeckName(Rule, severity="error"):
    """A name cannot be used for a deck in Anki.

    Why: in Anki `::` separates a deck from its subdeck, control characters and spaces at the ends are
    dropped, and `Default` is reserved. Anki also finds the deck by this name on an update.

    For instance:

        # C++ :: move semantics

    Fix: use other words. To make levels, use folders or `deck:` in the front matter.

        # Move semantics in C++
    """


class DeckInAnswer(Rule, severity="warning"):
    """A `#` line below a note starts a deck and ends the answer above it.

    Why: in code without a fence, a comment looks just like the heading of a deck. The rest of the answer is
    missing from the card, and later questions move to another deck. A heading is clearly a deck if there are
    blank lines above and below it, and at least one question before the next `#` line.

    For instance:

        ## How do you load a saved model?

        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))

    Fix: put the code between lines of three backticks. If the line is meant as a deck, put a blank line above
    and below it, and a question after it. If it is text, put a backslash in front.

        ```python
        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))
        ```
    """


class DeckNameClash(Rule, severity="error"):
    """Two deck names differ only in case, or in how accents are stored.

    Why: Anki treats both as one deck and keeps whichever spelling came first, so chance would decide which
    name learners see.

    For instance:

        a/one.md:  # Loss functions
        a/two.md:  # Loss Functions

    Fix: spell both the same way, or rename one.
    """


class DeckTooDeep(Rule, severity="error"):
    """A deck has more than eleven levels, including the collection's name.

    Why: Anki would reject the complete package.

    For instance:

        cards/a/b/c/d/e/f/g/h/i/j/k.md

    Fix: use fewer folders, or set the levels in the front matter.

        ---
        deck: Basics::Loss functions
        ---
    """


class DescriptionTwice(Rule, severity="error"):
    """A deck is described in two places.

    Why: Anki shows only one text on a deck's page; the other would be lost.

    For instance:

        two files with `# Autograd` and a paragraph below it

    Fix: merge both texts into one place.
    """


class EmptyDeck(Rule, severity="error"):
    """A `#` heading is empty.

    Why: a `#` heading names a deck.

    For instance:

        #

    Fix: write the deck's name after `#`, or delete the line.
    """
