"""The options of choices: too many, too similar, or too easy to tell apart."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_OTHERS = re.compile(
    r"(?:all|none|both|neither|any|either|some) (?:of )?(?:the |these |those )?(?:above|others?|options"
    r"|answers|them|these|those)\b"
    r"|(?:both )?(?:options? )?[a-e] (?:and|or) (?:option )?[b-e]\W*$",
    re.IGNORECASE,
)


class AllOfTheAbove(Rule, severity="warning", english=True):
    """An option refers to the other options.

    Why: a learner who knows that two options are right can pick "all of the above" without thinking about the
    rest. See Haladyna, Downing and Rodriguez 2002 (https://doi.org/10.1207/S15324818AME1503_5).

    For instance:

        - [ ] It saves memory
        - [ ] It saves time
        - [x] All of the above

    Fix: mark every right option with `[x]`. The card then says "select all that apply".
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each option that refers to others."""
        for choice in note.note.choices:
            if found := _OTHERS.match(choice.text.markdown):
                fix = "mark every right option with `[x]` instead"
                message = f"`{found[0]}` refers to other options"
                yield self.report(choice.text.location(), message, fix, len(found[0]))


class DuplicateOption(Rule, severity="error"):
    """Two options of a choice are the same.

    Why: the learner cannot tell which of the two to pick.

    For instance:

        - [ ] `torch.int64`
        - [x] `torch.int64`

    Fix: change one, or remove it.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each later copy of an option."""
        seen: dict[str, int] = {}
        for number, choice in enumerate(note.note.choices, 1):
            text = " ".join(choice.text.markdown.split())
            if text and (first := seen.setdefault(text, number)) != number:
                message = f"this option is the same as option {first}"
                length = len(choice.text.markdown.partition("\n")[0])
                yield self.report(choice.text.location(), message, "change one, or remove it", length)


_NOTICED = 20
"""Smaller differences from the mean, in characters, go unnoticed."""


class LongestOption(Rule, severity="hint", limits={"longest-option": 150}):
    """The right option is much longer than the wrong ones.

    Why: authors tend to make the right option exact and the wrong ones short, and learners notice this. "Keep
    the length of choices about equal" is one of the rules of Haladyna, Downing and Rodriguez 2002
    (https://doi.org/10.1207/S15324818AME1503_5). A right option that is longer than `longest-option` (150)
    per cent of the others' mean length causes a hint.

    For instance:

        - [ ] It is faster
        - [x] It stops autograd from recording the operations, so intermediate results need no memory
        - [ ] It is exact

    Fix: move the explanation below the list, or give the wrong options as much detail.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the right option if it is the only one and much longer than the others."""
        lengths = [len(choice.text.markdown.partition("\n")[0]) for choice in note.note.choices]
        right = [number for number, choice in enumerate(note.note.choices) if choice.correct]
        if len(right) != 1 or len(lengths) < 3:
            return
        longest = lengths.pop(right[0])
        mean = sum(lengths) / len(lengths)
        if longest > max(mean * self.limits["longest-option"] / 100, mean + _NOTICED):
            place = note.note.choices[right[0]].text.location()
            message = f"the right option has {longest} characters, the others {mean:.0f} on average"
            fix = "move the explanation below the options, or give the others as much detail"
            yield self.report(place, message, fix, longest)


_ENOUGH_CHOICES = 20
"""The minimum number of choices: with fewer, chance alone may exceed the limit."""


class LopsidedOptions(Rule, severity="hint", limits={"lopsided-options": 40}):
    """The right option is in the same position too often.

    Why: an unsure learner picks the position that was right most often. "Vary the location of the right
    answer" is one of the rules of Haladyna, Downing and Rodriguez 2002
    (https://doi.org/10.1207/S15324818AME1503_5). A hint appears if a collection has at least 20 choices with
    one right option, and that option is in the same position in more than `lopsided-options` (40) per cent of
    them.

    For instance:

        - [ ] …
        - [x] the right one, second here and in 12 of 20 notes

    Fix: move the right option up or down in some of the notes; learners keep their reviews.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note whose right option is in the most frequent position."""
        places = [(marks.index(True), note) for note in notes if sum(marks := note.correct) == 1]
        if len(places) < _ENOUGH_CHOICES:
            return
        place, count = Counter(place for place, _ in places).most_common(1)[0]
        if count * 100 > self.limits["lopsided-options"] * len(places):
            note = next(note for where, note in places if where == place)
            message = f"in {count} of {len(places)} choices, option {place + 1} is the right one"
            fix = "move the right option up or down in some of them"
            yield self.report_heading(note, message, fix)


class ManyOptions(Rule, severity="warning", limits={"many-options": 5}):
    """A choice has many options.

    Why: three options are enough. Learners read longer lists without thinking, and the last options are
    mostly padding (Haladyna, Downing and Rodriguez 2002, A review of multiple-choice item-writing guidelines,
    https://doi.org/10.1207/S15324818AME1503_5). More than `many-options` (5) options cause a warning.

    For instance:

        - [ ] `sum`
        - [x] `mean`
        - [ ] … five more

    Fix: keep the plausible options.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first option beyond the limit."""
        choices, limit = note.note.choices, self.limits["many-options"]
        if len(choices) > limit:
            message = f"the choice has {len(choices)} options, more than {limit}"
            yield self.report(choices[limit].text.location(), message, "keep the plausible ones")


class UnexplainedChoice(Rule, severity="warning"):
    """A choice does not say why its answer is right.

    Why: a learner who guessed right has learnt nothing, and one who guessed wrong does not know why. Authors
    of shared decks "might not make any effort to add background information" (Anki manual, Getting started),
    and choices need it most.

    For instance:

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`

    Fix: explain the answer below the options, or comment on the options in nested lists.

        - [ ] `loss.backward()`
            - It adds to the gradients.
        - [x] `optimizer.zero_grad()`
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading of a choice without an explanation."""
        explained = any(part.name in ("answer", "comment", "details") for part in note.parts)
        if note.note.kind is Kind.CHOICE and note.note.choices and not explained:
            fix = "explain the answer below the options, or in a nested list under one"
            yield self.report_passage(note.heading, "the choice does not say why its answer is right", fix)
