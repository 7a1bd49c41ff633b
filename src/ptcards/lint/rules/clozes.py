"""Clozes and their deletions."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.deletions import OPENING
from ptcards.notes import Kind

_NEARLY = re.compile(r"(?P<opening>\{\{[cC](?P<number>[1-9][0-9]?)::?)(?=[^\s{}:][^{}:]*\}\})")
"""A deletion whose only mistake is that its opening lacks a colon or has a capital letter."""


class DeletionNumber(Rule, severity="error"):
    """A deletion has a number that Anki does not accept.

    Why: each number becomes a card. Anki counts from 1, and a single enormous number makes it reject the
    entire import.

    For instance:

        {{c0::autograd}}

    Fix: use numbers from 1 to 99.

        {{c1::autograd}}
    """


class DeletionOutsideText(Rule, severity="error"):
    """A deletion is in the heading or in a section.

    Why: Anki only asks for deletions in one field, the note's text. Elsewhere, the card would show the
    braces.

    For instance:

        ### Details

        It is {{c2::fast}}.

    Fix: move the deletion into the note's text, or put it in backticks to show the braces.
    """


class EmptyDeletion(Rule, severity="error"):
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

    Fix: write it in full, or put it in backticks if it is not meant as a deletion. `--fix` corrects `{{c1:`.

        {{c1::autograd}}
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Correct openings that lack a colon or have a capital letter."""
        for each in draft.found(self.name):
            line, column = each.location.line, each.location.column
            if found := _NEARLY.match(draft.lines[line - 1], column - 1):
                yield Edit(line, column, found["opening"], f"{{{{c{found['number']}::")


class NestedDeletion(Rule, severity="error"):
    """A deletion is inside another deletion.

    Why: Anki clients disagree about what this means, and the library that writes the package makes too few
    cards from it.

    For instance:

        {{c1::the {{c2::autograd}} engine}}

    Fix: put the deletions one after the other. Deletions with the same number are asked together.

        {{c1::the}} {{c2::autograd}} {{c1::engine}}
    """


class NoDeletion(Rule, severity="error"):
    """A cloze has no deletion.

    Why: there is nothing to ask, so Anki makes no card from it.

    For instance:

        <!-- card: kind=cloze -->

        Autograd records operations.

    Fix: mark the text to recall.

        {{c1::Autograd}} records operations.
    """


class UnclosedDeletion(Rule, severity="error"):
    """A deletion is not closed.

    Why: a deletion ends at the first `}}` in its paragraph, list item or cell where the braces inside are
    balanced. Without such a `}}`, Anki shows the braces.

    For instance:

        {{c1::autograd} records operations.

    Fix: close it with `}}`.

        {{c1::autograd}} records operations.
    """


class ClozeCount(Rule, severity="hint", limits={"cloze-count": 5}):
    """A cloze makes many cards.

    Why: cards made from the same text give each other away, and learners have to review every one of them.
    "Cloze deletion is easy and effective" (rule 5 of Wozniak's Twenty rules,
    https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge), but only for one thing at a
    time. More than `cloze-count` (5) different numbers in one note cause a hint.

    For instance:

        {{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c6::f}}

    Fix: split the text, or give the same number to deletions that belong together.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading of a cloze that makes many cards."""
        if note.note.kind is not Kind.CLOZE:
            return
        count = len(set(re.findall(r"\{\{c(\d+)::", note.note.answer.markdown)))
        if count > self.limits["cloze-count"]:
            message = f"the cloze makes {count} cards, more than {self.limits['cloze-count']}"
            fix = "split the text, or give the same number to deletions that belong together"
            yield self.report_passage(note.heading, message, fix)


class ClozeInCode(Rule, severity="warning"):
    """Deletions in code are shown literally.

    Why: this lets you write notes about templates. In code, `{{c1::…}}` is a deletion only if the note has
    `kind=cloze`.

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
        if note.note.kind is Kind.CLOZE:
            return
        for code in note.part("answer").codes:
            for row, line in enumerate(code.block.lines):
                if found := OPENING.search(line.text):
                    fix = "set `kind=cloze` in the card comment, or `ignore=cloze-in-code` if intended"
                    message = "a deletion in code is shown literally"
                    yield self.report(code.locate(row, found.start() + 1), message, fix, len(found[0]))
                    return


_DELETION = re.compile(
    r"\{\{(?![cC]\d)(?P<inside>[^{}\n]+)\}\}|(?<!\{)\{\d{1,2}[:|](?P<numbered>[^{}\n]+)\}(?!\})"
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
