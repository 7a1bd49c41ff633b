"""Decks: their names, levels and descriptions."""

from ptcards.lint.registry import Rule


class BadDeckName(Rule, severity="error"):
    """A name cannot be a deck in Anki.

    Why: Anki reads `::` as the border between a deck and its subdeck, drops control characters and spaces at
    the ends, and keeps `Default` for itself. The name is also how Anki finds the deck again on an update.

    For instance:

        # C++ :: move semantics

    Fix: use other words; folders and `deck:` in the front matter make levels.

        # Move semantics in C++
    """


class DeckInAnswer(Rule, severity="warning"):
    """A `#` line below a note begins a deck, and ends the answer above it.

    Why: in code without a fence, a comment looks just like the heading of a deck. The rest of the answer is
    missing from the card, and later questions move to another deck. A heading is plainly a deck if there are
    blank lines above and below it, and at least one question before the next `#` line.

    For instance:

        ## How do you load a saved model?

        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))

    Fix: put the code between lines of three backticks. If the line is a deck, put a blank line above and
    below it, and write a question below it. If it is text, begin it with a backslash.

        ```python
        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))
        ```
    """


class DeckNameClash(Rule, severity="error"):
    """Two decks differ only in the case of letters, or in how accents are stored.

    Why: Anki treats both as one deck and keeps whichever spelling came first, so learners would see the notes
    in one of the two by chance.

    For instance:

        a/one.md:  # Loss functions
        a/two.md:  # Loss Functions

    Fix: spell both the same way, or rename one.
    """


class DeckTooDeep(Rule, severity="error"):
    """A deck has more than eleven levels, the collection's own name included.

    Why: Anki refuses the whole package then.

    For instance:

        cards/a/b/c/d/e/f/g/h/i/j/k.md

    Fix: use fewer folders, or set the levels in the front matter.

        ---
        deck: Basics::Loss functions
        ---
    """


class DescriptionTwice(Rule, severity="error"):
    """A deck is described in two places.

    Why: Anki shows one text on a deck's page; the other would be lost.

    For instance:

        two files with `# Autograd` and a paragraph below it

    Fix: join the texts in one of the places.
    """


class EmptyDeck(Rule, severity="error"):
    """A `#` heading has no words.

    Why: it would name a deck.

    For instance:

        #

    Fix: write the deck's name after the mark, or delete the line.
    """
