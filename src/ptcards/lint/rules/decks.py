"""Decks: their names, levels and descriptions, and comparisons between their notes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ptcards.diagnostics import Diagnostic, Severity
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.lint.message import Message
from ptcards.lint.note import Overview
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.notes import are_unlike


class BadDeckName(Rule, severity="error"):
    """A name cannot be used for a deck in Anki.

    Why: in Anki, `::` separates a deck from its subdeck, and `Default` is reserved. Anki drops control
    characters, as well as spaces at either end. On an update, Anki finds the deck by this name.

    For instance:

        # C++ :: move semantics

    Fix: choose another name. To create levels, use folders or `deck:` in the front matter.

        # Move semantics in C++
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write a space for `::` in a heading."""
        for found in draft.found(self.name):
            line = draft.lines[found.location.line - 1]
            if line.startswith("# "):
                yield LineEdit(found.location.line, 1, line, re.sub(r"\s*::\s*", " ", line).rstrip())


class DeckInAnswer(Message, severity="warning"):
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


class DeckNameClash(Message, severity="error"):
    """Two deck names differ only in case, or in how accents are stored.

    Why: Anki treats both as one deck and keeps whichever spelling came first, so chance would decide which
    spelling learners see.

    For instance:

        a/one.md:  # Loss functions
        a/two.md:  # Loss Functions

    Fix: spell both the same way, or rename one.

        a/one.md:  # Loss functions
        a/two.md:  # Loss functions
    """


class DeckTooDeep(Message, severity="error"):
    """A deck has more than eleven levels, including the collection's name.

    Why: Anki would reject the entire package.

    For instance:

        cards/a/b/c/d/e/f/g/h/i/j/k.md

    Fix: use fewer folders, or set the levels in the front matter.

        ---
        deck: Basics::Loss functions
        ---
    """


class DescriptionTwice(Message, severity="error"):
    """A deck is described in two places.

    Why: Anki shows only one text on a deck's page; the other would be lost.

    When:

        two files with `# Autograd` and a paragraph below it

    Fix: combine both texts in one place.
    """


class EmptyDeck(Message, severity="error"):
    """A `#` heading is empty.

    Why: a `#` heading names a deck, and this one has no name.

    For instance:

        #

    Fix: write the deck's name after `#`, or delete the line.

        # Autograd
    """


class NoSuchDeck(Message, severity="warning"):
    """A name in `order` is not the name of a deck.

    Why: notes of decks that `order` does not name come last, so learners would meet the deck in the wrong
    place. Names are written without the collection's name, and with the same capitals as the deck.

    For instance:

        order = ["Tensor", "Autograd"]

    Fix: correct the name, or remove it.

        order = ["Tensors", "Autograd"]
    """


_WORD = re.compile(r"\w+|[^\w\s]")
_FIX = "remove one, ask for the difference, or begin both with what differs"


class NearDuplicate(Rule, severity="hint", limits={"near-duplicate": 85}):
    """Two questions consist of nearly the same words.

    Why: learners keep confusing similar questions that have different answers. If the answers are the same,
    they learn the same thing twice. "Combat interference" is rule 11 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). Two questions are similar if at
    least `near-duplicate` (85) per cent of their distinct words, including those in code, occur in both.

    For instance:

        ## What does `torch.cat` do with two tensors of shape (2, 3) along dimension 0?
        ## What does `torch.cat` do with two tensors of shape (2, 3) along dimension 1?

    Fix: remove one, ask for the difference between the two, or begin both with what differs.

        ## How do the results of `torch.cat` along dimensions 0 and 1 differ?
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each question that is similar to an earlier one, and name the most similar one.

        Two sets that have 85% of their words in common share a word that is among the rarest 15% in each set.
        An index of these rare words finds the pairs to compare (the prefix filter of Bayardo, Ma and Srikant,
        Scaling up all pairs similarity search, WWW 2007). Pairs with too few words after the rarest shared
        word are skipped (the positional filter of Xiao, Wang, Lin and Yu, Efficient similarity joins for near
        duplicate detection, WWW 2008).
        """
        alike = self.limits["near-duplicate"] / 100
        texts = [" ".join(note.asked) for note in notes]
        bags = [frozenset(_WORD.findall(text.casefold())) for text in texts]
        frequency = Counter(chain.from_iterable(bags))
        ordered = sorted(sorted(frequency), key=frequency.__getitem__)
        rarity = {word: place for place, word in enumerate(ordered)}
        index: dict[str, dict[tuple[int, int], list[frozenset[str]]]] = {}
        """For each rare word, the sets that have it, by their word counts: from it on, and in total."""
        asking: dict[frozenset[str], list[int]] = {}
        """For each set, the first note with it, and the first that has another text."""
        for number, bag in enumerate(bags):
            rarest = sorted(bag, key=rarity.__getitem__)
            prefix = rarest[: len(bag) - int(-(-alike * len(bag) // 1)) + 1]
            others: set[frozenset[str]] = set()
            for place, word in enumerate(prefix):
                for (left, size), members in index.get(word, {}).items():
                    # The extra 0.3 keeps a pair that is exactly at the limit from being lost to rounding.
                    if (min(len(bag) - place, left) + 0.3) * (1 + alike) >= alike * (len(bag) + size):
                        others.update(members)
            # Other rules report identical questions.
            firsts = {
                each: next((other for other in asking[each] if texts[other] != texts[number]), -1)
                for each in others
            }
            best, best_alike = _most_similar(
                bag, {each: first for each, first in firsts.items() if first >= 0}
            )
            same = asking.setdefault(bag, [])
            if not same:
                for place, word in enumerate(prefix):
                    index.setdefault(word, {}).setdefault((len(bag) - place, len(bag)), []).append(bag)
            if len(same) < 2 and texts[number] not in (texts[each] for each in same):
                same.append(number)
            if best_alike >= alike:
                message = (
                    f"{100 * best_alike:.0f}% of the words are the same as in the question at "
                    f"{notes[best].location}"
                )
                yield self.report_heading(notes[number], message, _FIX)


def _most_similar(bag: frozenset[str], firsts: Mapping[frozenset[str], int]) -> tuple[int, float]:
    """Return the first note whose words are the most similar, as a number, and how similar they are."""
    best, best_alike = -1, 0.0
    for other, number in firsts.items():
        shared = len(bag & other)
        likeness = shared / (len(bag) + len(other) - shared)
        if likeness > best_alike or (likeness == best_alike and number < best):
            best, best_alike = number, likeness
    return best, best_alike


class NoSuchNote(Rule, severity="warning"):
    """A key in `unlike` is not the key of a note.

    Why: `unlike` says that two notes which look alike are not, so it must name the other one. The key of a
    note is its `id`, or else is made of its question; `ptcards find --twins` shows both keys.

    For instance:

        ## What is a leaf?
        <!-- card: unlike=what-is-a-node -->

    Fix: write the other key, or remove it if the note is gone.

        ## What is a leaf?
        <!-- card: unlike=what-is-a-root -->

        ## What is a root?
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the heading of each note that names a missing one."""
        keys = {note.key for note in notes}
        for note in notes:
            for key in note.unlike:
                if key not in keys:
                    yield self.report_heading(
                        note, f"there is no note `{key}`", did_you_mean(key, keys, "correct or remove it")
                    )


class QuestionInTwoDecks(Rule, severity="hint"):
    """Two decks ask the same question.

    Why: a learner who studies both decks answers it twice, and an update to one copy leaves the other
    unchanged. The copies may be intended if different people study the two decks. Within one deck, they are
    an error (`duplicate-question`).

    For instance:

        autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
        inference.md:  ## Why does evaluation run under `torch.no_grad()`?

    Fix: keep one, with a tag for the other topic, or reword each to ask for what matters in its deck.

        autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
        inference.md:  ## What does `torch.no_grad()` save?
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each later copy of a question, and name the first one."""
        first: dict[tuple[str, ...], Overview] = {}
        for note in notes:
            original = first.setdefault(note.asked, note)
            if original.deck != note.deck:
                message = f"this question is also asked in `{original.deck}`, at {original.location}"
                fix = "keep one of them and give it a tag for the other deck, or reword one"
                yield self.report_heading(note, message, fix)


class SameAnswer(Rule, severity="warning or hint"):
    """Two notes have the same answer, or code of both prints the same.

    Why: two questions with the same answer are often one question in two wordings, which learners answer
    without reading. Only answers and outputs of six words or more are compared. If several collections are
    checked together, their notes are compared too, which gives only hints: their learners may be others.

    For instance:

        ## What is a leaf?

        A tensor that no recorded operation produced.

        ## What do you call a tensor that no recorded operation produced?

        A tensor that no recorded operation produced.

    Fix: leave one of them out, or ask for what differs. If both are needed, name one of them in the card
    comment of the other.

        <!-- card: unlike=what-is-a-leaf -->
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each later note, and name the first one."""
        for note, message, _ in _said_before([notes]):
            yield self.report_heading(note, message, "leave one of them out, or ask for what differs")

    def check_across(self, collections: Iterable[Iterable[Overview]]) -> Iterator[Diagnostic]:
        """Report the first note of each collection with an answer or output that an earlier one has."""
        for note, message, is_elsewhere in _said_before(collections):
            if is_elsewhere:
                fix = "keep one of them, or leave both if their learners differ"
                yield self.report(note.heading, message, fix, note.length, severity=Severity.HINT)


def _said_before(collections: Iterable[Iterable[Overview]]) -> Iterator[tuple[Overview, str, bool]]:
    """Yield notes with an answer or output that an earlier one has, a message, and whether that is elsewhere.

    The first note of a collection is compared with the collections before it, and the others with the first.
    """
    first: dict[tuple[str, str], tuple[int, Overview]] = {}
    for number, notes in enumerate(collections):
        for note in notes:
            for said in ("answer", note.answer), ("output", note.output):
                there, original = first.setdefault(said, (number, note)) if said[1] else (number, note)
                if is_elsewhere := there != number:
                    first[said] = number, note
                # Other rules report identical questions in a collection.
                if (is_elsewhere or original.asked != note.asked) and not are_unlike(original, note):
                    message = f"the {said[0]} is the same as that of the note at {original.location}"
                    yield note, message, is_elsewhere
                    break
