"""Decks: their names, levels and descriptions."""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class BadDeckName(Rule, severity="error"):
    """A name cannot be used for a deck in Anki.

    Why: in Anki, `::` separates a deck from its subdeck, and `Default` is reserved. Anki drops control
    characters, as well as spaces at either end. On an update, Anki finds the deck by this name.

    For instance:

        # C++ :: move semantics

    Fix: choose another name. To create levels, use folders or `deck:` in the front matter.

        # Move semantics in C++
    """


class DeckInAnswer(Rule, severity="warning"):
    """A `#` line below a note starts a deck and ends the answer above it.

    Why: in code without a fence, a comment looks just like the heading of a deck. The rest of the answer is
    then missing from the card, and later questions move to another deck. A heading is clearly a deck if it
    has blank lines above and below it, and at least one question before the next `#` line.

    For instance:

        ## How do you load a saved model?

        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))

    Fix: put the code between lines of three backticks. If the line is meant as a deck, add a blank line above
    and below it, and a question after it. If it is text, put a backslash in front of it.

        ```python
        model = Net()
        # load the weights from the disk
        model.load_state_dict(torch.load("w.pt"))
        ```
    """


class DeckNameClash(Rule, severity="error"):
    """Two deck names differ only in case, or in how accents are stored.

    Why: Anki treats both as one deck and keeps whichever spelling came first, so chance would decide which
    spelling learners see.

    For instance:

        a/one.md:  # Loss functions
        a/two.md:  # Loss Functions

    Fix: spell both the same way, or rename one.
    """


class DeckTooDeep(Rule, severity="error"):
    """A deck has more than eleven levels, including the collection's name.

    Why: Anki would reject the entire package.

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

    Fix: combine both texts in one place.
    """


class EmptyDeck(Rule, severity="error"):
    """A `#` heading is empty.

    Why: a `#` heading names a deck, and this one has no name.

    For instance:

        #

    Fix: write the deck's name after `#`, or delete the line.
    """


class NoSuchDeck(Rule, severity="warning"):
    """A name in `order` is not the name of a deck.

    Why: notes of decks that `order` does not name come last, so learners would meet the deck in the wrong
    place. Names are written without the collection's name, and with the same capitals as the deck.

    For instance:

        order = ["Tensor", "Autograd"]

    Fix: correct the name, or remove it.

        order = ["Tensors", "Autograd"]
    """


_COLLECTION = 20
"""A collection of at most this many notes may have only just been started."""


class DeckNotes(Rule, severity="hint", limits={"deck-notes": 60, "deck-notes-few": 3}):
    """A deck has very many or very few notes.

    Why: learners add decks one at a time. A deck of a hundred notes never gets finished, and a deck of two
    clutters the deck list. More than `deck-notes` (60) notes cause a hint, and so do fewer than
    `deck-notes-few` (3) in a collection of more than 20.

    For instance:

        cards/pytorch.md with 140 notes

    Fix: split the file by topic, or merge it with a related one. Cards that learners already have stay where
    they are, because Anki does not move cards on an update.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note of each deck with very many or very few notes."""
        decks: dict[str, list[Overview]] = {}
        for note in notes:
            decks.setdefault(note.deck, []).append(note)
        for name, members in decks.items():
            few = len(notes) > _COLLECTION and len(members) < self.limits["deck-notes-few"]
            if few or len(members) > self.limits["deck-notes"]:
                count = f"{len(members)} note{'s' * (len(members) > 1)}"
                limit = self.limits["deck-notes-few" if few else "deck-notes"]
                size = f"{count}, {'fewer' if few else 'more'} than {limit}"
                fix = "merge it with another deck" if few else "split it by topic"
                yield self.report_heading(members[0], f"the deck `{name}` has {size}", fix)


class DeepDeck(Rule, severity="hint", limits={"deck-levels": 6}):
    """A deck has many levels.

    Why: deep trees are hard to read on a phone, and learners have to open each level by hand. More than
    `deck-levels` (6) levels, including the collection's name, cause a hint.

    For instance:

        cards/vault/areas/work/cloud/aws/s3.md

    Fix: use fewer folders, or set the levels in the front matter.

        ---
        deck: Cloud::S3
        ---
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note of each deck with many levels."""
        first: dict[str, Overview] = {}
        for note in notes:
            first.setdefault(note.deck, note)
        for deck, note in first.items():
            levels = deck.count("::") + 1
            if levels > self.limits["deck-levels"]:
                fix = "use fewer folders, or `deck:` in the front matter"
                yield self.report(note.location, f"`{deck}` has {levels} levels", fix, 2)
