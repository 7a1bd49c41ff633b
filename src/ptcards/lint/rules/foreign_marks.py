"""Markup from Anki and other programs that has no meaning in Markdown."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_MARKUP = re.compile(r"\[sound:[^\]\n]{1,1000}+\]|\[(?P<tex>latex|\$\$?)\]|\[\[type:[^\]\n]{1,1000}+\]\]")


class AnkiMarkup(Rule, severity="warning"):
    """The text contains markup from Anki's editor.

    Why: sources are Markdown, where Anki's own markup has no meaning: the card shows `[sound:…]` or `[latex]`
    as plain text.

    For instance:

        Listen: [sound:c-major.mp3]

    Fix: use Markdown that GitHub understands.

        Listen: ![C major](c-major.mp3)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each piece of Anki markup."""
        if not _MARKUP.search(note.prose):
            return
        for passage in note.passages:
            for found in _MARKUP.finditer(passage.plain):
                if found["tex"]:
                    fix = "write the formula between dollar signs: `$x^2$`"
                elif found[0].startswith("[sound"):
                    fix = f"write `![what it is]({found[0][7:-1].strip()})`"
                else:
                    fix = "write the expected text as the answer, and set `kind=typed` in the card comment"
                message = f"`{found[0]}` is shown literally"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))


_LINE = re.compile(r"^[ ]{0,3}(?P<mark>%|\?\??|\. \. \.)[ \t]*$", re.MULTILINE)


class LoneSeparator(Rule, severity="warning"):
    """A line in an answer contains only `%`, `?`, `??` or `. . .`.

    Why: in other programs, such a line separates question and answer. In ptcards, it is text, and everything
    above it belongs to the answer.

    For instance:

        ## Variables

        What is unknown?
        ?
        Their values.

    Fix: if it separates question and answer, replace it with `### Answer`; otherwise delete it.

        ## Variables

        What is unknown?

        ### Answer

        Their values.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each line of the answer that contains only a separator."""
        for passage in note.part("answer").passages:
            for found in _LINE.finditer(passage.raw):
                mark = found["mark"]
                message = f"`{mark}` on a line of its own is plain text here"
                fix = "write `### Answer` if it separates question and answer, or remove it"
                yield self.report(passage.locate(found.start("mark")), message, fix, len(mark))
