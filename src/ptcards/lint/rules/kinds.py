"""What only some kinds of notes have: choices with their options, and clozes with their deletions."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.message import Message
from ptcards.lint.note import Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.deletions import OPENING, SINGLE_BRACES
from ptcards.notes import Kind

_ODD_BOX = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<box>\[ *+(?P<mark>[xX]?) *+\])(?=[ \t])")
"""The start of a list item with a box; the box may contain any number of spaces."""


class ChoiceAndCloze(Message, severity="error"):
    """A note has both a task list and cloze deletions.

    Why: a task list makes the note a choice, and deletions make it a cloze; it cannot be both.

    For instance:

        - [x] The {{c1::optimizer}} steps.
        - [ ] The scheduler steps.

    Fix: write two notes. If the list or the deletions are meant as plain text, set the kind.

        <!-- card: kind=choice -->
    """


class ChoiceWithAnswer(Message, severity="error"):
    """A choice has an `### Answer` section.

    Why: the marked options are the answer, and the text after them is the explanation. A choice has no place
    for a third text.

    For instance:

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`

        ### Answer

        It clears the gradients.

    Fix: delete the line `### Answer`.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`

        It clears the gradients.
    """


class EmptyOption(Message, severity="error"):
    """An option has no text.

    Why: the learner would see a letter with nothing after it.

    For instance:

        - [ ]
        - [x] `optimizer.zero_grad()`

    Fix: write the text after the box, or delete the item.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class NoOptions(Message, severity="error"):
    """A note with `kind=choice` has no options.

    Why: the options must be a task list at the top level of the note.

    For instance:

        <!-- card: kind=choice -->

        - `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: give each item a box.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class NoRightOption(Message, severity="error"):
    """No option is marked as right.

    Why: the back of the card would mark every option as wrong.

    For instance:

        - [ ] `loss.backward()`
        - [ ] `optimizer.zero_grad()`

    Fix: mark each right option with `[x]`. If the list is not a choice, set `kind=basic`.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class NoList(Message, severity="error"):
    """A note with `kind=sequence`, `kind=set` or `kind=occlusion` has no list.

    Why: each item of the first list in the answer is a card, so without a list there is nothing to ask.

    For instance:

        <!-- card: kind=sequence -->

        First SYN, then SYN-ACK, then ACK.

    Fix: write what to recall as a list.

        1. SYN
        2. SYN-ACK
        3. ACK
    """


class EmptyItem(Message, severity="error"):
    """An item of a sequence, a set or an occlusion has no text.

    Why: its card would ask for nothing.

    For instance:

        <!-- card: kind=sequence -->

        1. SYN
        2.
        3. ACK

    Fix: write the text, or delete the item.

        <!-- card: kind=sequence -->

        1. SYN
        2. SYN-ACK
        3. ACK
    """


class ItemCount(Message, severity="error"):
    """A sequence, a set or an occlusion has too many items.

    Why: each item is a card, and a list of more than 100 is learned better in parts. Over the years, a list
    can have 499 items in all: their numbers are never used again, and Anki has no more.

    When:

        a list with 120 items below `kind=sequence`

    Fix: divide the list among several notes, such as one for each verse of a poem.
    """


class NoPicture(Message, severity="error"):
    """A note with `kind=occlusion` has no picture.

    Why: its cards hide parts of the picture, which is the first paragraph of the answer that is only a
    picture.

    For instance:

        <!-- card: kind=occlusion -->

        - 12% 30% 18% 6%: Aorta

    Fix: write the picture above the list.

        ![The heart from the front](heart.png)

        - 12% 30% 18% 6%: Aorta
    """


class NoPlace(Message, severity="error"):
    """An item of an occlusion does not say which part of the picture it hides.

    Why: each item is a box on the picture: left, top, width and height in percent of the picture, in this
    order, then its label. Parentheses around the four make it an ellipse.

    For instance:

        - Aorta
        - 40% 55% 10%: Left ventricle

    Fix: write all four numbers, or draw the box with `ptcards serve`.

        - 12% 30% 18% 6%: Aorta
        - 40% 55% 10% 8%: Left ventricle
    """


class BoxOutside(Message, severity="error or warning"):
    """A box is partly outside its picture, or covers nothing of it, which is an error.

    Why: Anki only draws what is on the picture, so the box hides less than its numbers say.

    For instance:

        - 90% 30% 18% 6%: Aorta

    Fix: keep left + width, and top + height, within 100%.

        - 82% 30% 18% 6%: Aorta
    """


class BoxesOverlap(Message, severity="warning"):
    """A box covers part of another one.

    Why: the back of a card shows what is below the box that was asked, but the other box still hides part of
    it.

    For instance:

        - 12% 30% 18% 6%: Aorta
        - 20% 32% 18% 6%: Pulmonary artery

    Fix: move one of them, or make it smaller.

        - 12% 30% 18% 6%: Aorta
        - 32% 32% 18% 6%: Pulmonary artery
    """


class PictureSize(Message, severity="error or warning"):
    """The size of a picture with boxes is missing, or its dark version has another shape.

    Why: Anki places boxes by the picture's own width and height. An SVG may have none, which is an error. At
    night, the dark version is shown below the same boxes.

    For instance:

        <svg viewBox="0 0 400 300">

    Fix: give the SVG a size, and both versions the same one.

        <svg width="400" height="300" viewBox="0 0 400 300">
    """


class OptionCount(Message, severity="error or warning"):
    """A choice has fewer than two options, or more than ten.

    Why: one option is not a choice, so one box alone is a list, with a warning; with `kind=choice`, it is an
    error, because the card would ask nothing. More than ten options do not fit on a phone.

    For instance:

        - [x] `optimizer.zero_grad()`

    Fix: add or merge options. If the list is not a choice, set `kind=basic`.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """


class OptionWithoutBox(Rule, severity="error"):
    """A list item among the options has no box.

    Why: it is unclear whether the item is right, wrong or not an option at all.

    For instance:

        - [ ] `loss.backward()`
        - `optimizer.zero_grad()`

    Fix: begin each option with `[ ]` or `[x]`. `--fix` corrects boxes such as `[]`.

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Correct boxes without a space or with too many."""
        for diagnostic in draft.found(self.name):
            line, column = diagnostic.location.line, diagnostic.location.column
            if box := _ODD_BOX.match(draft.lines[line - 1], column - 1):
                mark = box["mark"] or " "
                yield LineEdit(line, box.start("box") + 1, box["box"], f"[{mark}]")


class SecondBox(Message, severity="warning"):
    r"""A line of an unchecked option contains `[x]`, so GitHub shows the option as checked.

    Why: readers on GitHub would see something different from the card.

    For instance:

        - [ ] `x` is written as [x]

    Fix: write `[x\]`: GitHub finds `[x]` in `\[x]`, too.

        - [ ] `x` is written as [x\]
    """


class SecondOptionList(Message, severity="error"):
    """A choice has two task lists.

    Why: a card can have only one list of options.

    For instance:

        - [ ] `sum`

        Or one of these:

        - [x] `mean`

    Fix: merge the lists, or write two notes. If they are not options, set `kind=basic`.

        - [ ] `sum`
        - [x] `mean`
    """


_OTHERS = re.compile(
    r"(?:all|none|both|neither|any|either|some) (?:of )?(?:the |these |those )?(?:above|others?|options"
    r"|answers|them|these|those)\b"
    r"|(?:both )?(?:options? )?[a-e] (?:and|or) (?:option )?[b-e]\W*$",
    re.IGNORECASE,
)


class AllOfTheAbove(Rule, severity="warning", english=True, taste=True):
    """An option refers to the other options.

    Why: a learner who knows that two options are right can pick "all of the above" without thinking about the
    rest. See Haladyna, Downing and Rodriguez 2002 (https://doi.org/10.1207/S15324818AME1503_5).

    For instance:

        - [ ] It saves memory
        - [ ] It saves time
        - [x] All of the above

    Fix: mark every right option with `[x]`. The card then says "select all that apply".

        - [x] It saves memory
        - [x] It saves time
        - [ ] It makes the results exact
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each option that refers to others."""
        for choice in note.note.choices:
            if found := _OTHERS.match(choice.text.markdown):
                fix = "mark every right option with `[x]` instead"
                message = f"`{found[0]}` refers to other options"
                yield self.report(choice.text.location(), message, fix, len(found[0]))


class DuplicateOption(Message, severity="error or warning"):
    """Two options of a choice are the same.

    Why: the learner cannot tell which of the two to pick. In another program's notes, it is only a warning.

    For instance:

        - [ ] `torch.int64`
        - [x] `torch.int64`

    Fix: change one, or remove it.

        - [ ] `torch.int32`
        - [x] `torch.int64`
    """


class ManyOptions(Rule, severity="warning", limits={"many-options": 5}, taste=True):
    """A choice has many options.

    Why: three options are enough. Learners read longer lists without thinking, and the last options are
    mostly padding (Haladyna, Downing and Rodriguez 2002, A review of multiple-choice item-writing guidelines,
    https://doi.org/10.1207/S15324818AME1503_5). More than `many-options` (5) options cause a warning.

    For instance:

        - [ ] `sum`
        - [x] `mean`
        - [ ] `max`
        - [ ] `min`
        - [ ] `median`
        - [ ] `mode`
        - [ ] `norm`

    Fix: keep the plausible options.

        - [ ] `sum`
        - [x] `mean`
        - [ ] `max`
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first option beyond the limit."""
        choices, limit = note.note.choices, self.limits["many-options"]
        if len(choices) > limit:
            message = f"the choice has {len(choices)} options, more than {limit}"
            yield self.report(choices[limit].text.location(), message, "keep the plausible ones")


class UnexplainedChoice(Rule, severity="warning", taste=True):
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
        if note.note.kind is not Kind.CHOICE or not note.note.choices:
            return
        if not any(part.name in ("answer", "comment", "details") for part in note.parts):
            fix = "explain the answer below the options, or in a nested list under one"
            fix += "; for a plain list, write `kind=basic`"
            yield self.report_question(note.note, "the choice does not say why its answer is right", fix)


_NEARLY = re.compile(r"(?P<opening>\{\{[cC](?P<number>[1-9][0-9]?)::?)(?=[^\s{}:][^{}:]*\}\})")
"""A deletion whose only mistake is that its opening lacks a colon or has a capital letter."""


class DeletionNumber(Message, severity="error"):
    """A deletion has a number that Anki does not accept.

    Why: each number becomes a card. Anki counts from 1, and a single enormous number makes it reject the
    entire import.

    For instance:

        {{c0::autograd}}

    Fix: use numbers from 1 to 99.

        {{c1::autograd}}
    """


class DeletionOutsideText(Message, severity="error"):
    """A deletion is outside the note's text: in a section, an option or a question with an answer.

    Why: Anki only asks for deletions in one field, the note's text. Elsewhere, the card would show the
    braces. The heading belongs to the text if the note has neither an `### Answer` nor options:
    `## A leaf is made by {{c1::you}}.` is a cloze.

    For instance:

        ### Details

        It is {{c2::fast}}.

    Fix: move the deletion into the note's text, or put it in backticks to show the braces.

        It is {{c1::exact}} and {{c2::fast}}.
    """


class EmptyDeletion(Message, severity="error"):
    """A deletion has no text.

    Why: Anki makes no card from it.

    For instance:

        {{c1::}}

    Fix: write the text to recall.

        {{c1::autograd}}
    """


class MalformedDeletion(Rule, severity="error"):
    """Something looks like a deletion but is not one.

    Why: Anki only understands `{{c1::text}}` and `{{c1::text::hint}}`; it shows anything else literally, with
    the braces.

    For instance:

        {{c1:autograd}}

    Fix: write it in full, or put it in backticks if it is not meant as a deletion. `--fix` corrects `{{c1:`
    and `{c1::text}`.

        {{c1::autograd}}
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Correct openings that lack a colon or have a capital letter, and single braces."""
        for diagnostic in draft.found(self.name):
            line, column = diagnostic.location.line, diagnostic.location.column
            if found := _NEARLY.match(draft.lines[line - 1], column - 1):
                yield LineEdit(line, column, found["opening"], f"{{{{c{found['number']}::")
            elif found := SINGLE_BRACES.match(draft.lines[line - 1], column - 1):
                yield LineEdit(line, column, found[0], f"{{{{{found[1]}}}}}")


class NestedDeletion(Message, severity="error"):
    """A deletion is inside another deletion.

    Why: Anki clients disagree about what this means, and the library that writes the package makes too few
    cards from it.

    For instance:

        {{c1::the {{c2::autograd}} engine}}

    Fix: put the deletions one after the other. Deletions with the same number are asked together.

        {{c1::the}} {{c2::autograd}} {{c1::engine}}
    """


class NoDeletion(Message, severity="error"):
    """A cloze has no deletion.

    Why: there is nothing to ask, so Anki makes no card from it.

    For instance:

        <!-- card: kind=cloze -->

        Autograd records operations.

    Fix: mark the text to recall.

        {{c1::Autograd}} records operations.
    """


class UnclosedDeletion(Message, severity="error"):
    """A deletion is not closed.

    Why: a deletion ends at the first `}}` in its paragraph, list item or cell where the braces inside are
    balanced. Without such a `}}`, Anki shows the braces.

    For instance:

        {{c1::autograd} records operations.

    Fix: close it with `}}`.

        {{c1::autograd}} records operations.
    """


class HintInCode(Message, severity="error or warning"):
    """A deletion in Python code has a hint.

    Why: in code, `::` is part of the text, because other languages use it, so the card would show the hint
    with the code. Code that is valid Python with it is not reported. It is only a warning in the notes of
    other programs and of imported decks.

    For instance:

        ```python
        optimizer.{{c1::step()::method}}
        ```

    Fix: write the hint as a comment.

        ```python
        optimizer.{{c1::step()}}  # a method
        ```
    """


class ClozeInCode(Rule, severity="warning"):
    """Deletions in code are shown literally.

    Why: this lets you write notes about templates. In code, `{{c1::…}}` is a deletion only if the note has
    `kind=cloze`, even if it is a cloze because of a deletion in its text.

    For instance:

        ## Complete the training step.

        ```python
        loss.{{c1::backward}}()
        ```

    Fix: set the kind. If the braces are intended, ignore this rule in the card comment.

        ## Complete the training step.
        <!-- card: kind=cloze -->
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first deletion in the note's code."""
        answer = note.part("answer")
        if note.note.code_deletions or not OPENING.search(answer.text.markdown):
            return
        for code in answer.codes:
            for row, line in enumerate(code.block.lines):
                # An error names one that is not closed.
                found = OPENING.search(line.text)
                if found and any("}}" in each.text for each in code.block.lines[row:]):
                    fix = "set `kind=cloze` in the card comment, or `ignore=cloze-in-code` if intended"
                    message = "a deletion in code is shown literally"
                    yield self.report(code.locate(row, found.start() + 1), message, fix, len(found[0]))
                    return


_DELETION = re.compile(
    r"\{\{(?![cC]\d(?!\d?\s+\w))(?:cloze\s+|[cC]\d{1,2}\s+)?(?P<inside>[^{}\n]+)\}\}|(?<!\{)\{\d{1,2}[:|](?P<numbered>[^{}\n]+)\}(?!\})"
)


class OtherDeletion(Rule, severity="warning"):
    """A deletion is written in the syntax of another program.

    Why: ptcards reads it as text with braces, so the card does not ask for it.

    For instance:

        HTTPS uses port {{443}}.

    Fix: add the number of the deletion. If you want to show the braces, put the text in backticks.

        HTTPS uses port {{c1::443}}.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each deletion in another program's syntax."""
        if "{" not in note.prose:
            return
        for passage in note.passages:
            for found in _DELETION.finditer(passage.plain):
                message = f"`{found[0]}` is a deletion in other programs, but text here"
                fix = f"write `{{{{c1::{(found['inside'] or found['numbered']).strip()}}}}}`"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))
