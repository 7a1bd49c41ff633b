"""Comparisons between the notes of a collection."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

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
        frequency = Counter(word for bag in bags for word in bag)
        index: dict[str, dict[tuple[int, int], list[frozenset[str]]]] = {}
        """For each rare word, the sets that have it, by their word counts: from it on, and in total."""
        asking: dict[frozenset[str], list[int]] = {}
        """For each set, the first note with it, and the first that has another text."""
        for number, bag in enumerate(bags):
            rarest = sorted(bag, key=lambda word: (frequency[word], word))
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


class QuestionInTwoDecks(Rule, severity="hint"):
    """Two decks ask the same question.

    Why: a learner who studies both decks answers it twice, and an update to one copy leaves the other
    unchanged. The copies may be intended if different people study the two decks. Within one deck, they are
    an error (`duplicate-question`).

    For instance:

        autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
        inference.md:  ## Why does evaluation run under `torch.no_grad()`?

    Fix: keep one, with a tag for the other topic, or reword each to ask for what matters in its deck.
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


class TagSpelledTwice(Rule, severity="hint"):
    """A tag is spelt in two ways.

    Why: if two tags differ only in case, Anki keeps whichever spelling the learner had first, and its browser
    treats them as one tag. The second spelling is either a slip, or a tag that nobody can tell from the
    first.

    For instance:

        <!-- card: tags=Memory -->
        <!-- card: tags=memory -->

    Fix: spell it the same way everywhere.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note with each later spelling."""
        first: dict[str, tuple[str, Overview]] = {}
        told: set[str] = set()
        for note in notes:
            for tag in note.tags:
                spelled, original = first.setdefault(tag.casefold(), (tag, note))
                if spelled != tag and tag not in told:
                    told.add(tag)
                    message = f"the tag `{tag}` is spelt `{spelled}` at {original.location}"
                    fix = "spell it the same way everywhere"
                    yield self.report_heading(note, message, fix)
