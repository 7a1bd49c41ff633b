"""Cards that exist but are not read."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.source.readers.registry import BOLD_QUESTIONS, settings_for


class ForeignFormat(Rule, severity="error"):
    """A file is written for another tool, or is not Markdown at all.

    Why: some formats look similar but mean something else, so the cards would be wrong: md2anki keeps ids in
    headings, and mdanki separates question and answer with `%`. Packages and tables are not sources.

    For instance:

        ptcards build biology.apkg

    Fix: name Markdown files or their folder. If a file is in another tool's format, build a package with that
    tool and import it into Anki.
    """


class NoNotes(Rule, severity="error"):
    """None of the given files contains a note.

    Why: an empty package would look like success. ptcards writes nothing and leaves the previous outputs
    unchanged. The message says what was looked for and what the files look like instead.

    For instance:

        Q: What is the capital of France?
        A: Paris

    Fix: do what the message suggests: write `## ` before questions, set the dialect of the notes, or name the
    README.md that contains the questions.

        dialect = "qa"      in deck.toml
    """


class UnreadCards(Rule, severity="warning"):
    """Some files contain cards in a different format from the one in which they are read.

    Why: the deck lacks these cards, and nobody would notice.

    For instance:

        physics/waves.md with `Q:` and `A:` in a collection of `##` headings

    Fix: set the dialect of these files in `deck.toml`, or exclude them.

        [[dialects]]
        files = ["physics/**"]
        dialect = "qa"
    """


class WrongDialect(Rule, severity="warning"):
    """A file contains no cards in its dialect, and seems to be written in another one.

    Why: the setting is probably meant for other files.

    For instance:

        [[dialects]]
        files = ["lists/**"]
        dialect = "qa"            but the lists have `<details>`

    Fix: set the dialect that the message suggests.

        [[dialects]]
        files = ["lists/**"]
        dialect = "details"
        question = "heading"
    """


_ASKS = re.compile(r"[?？][^\w\n?？]*\Z")
_BOLD = re.compile(r"\s*(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_\n]+)\1[^\w*]*\Z")
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3


class QuestionsBelow(Rule, severity="warning"):
    """An answer contains several questions, as headings or in bold.

    Why: only headings of one level are questions. If the headings of that level are chapters, the questions
    below them become part of a chapter's answer.

    For instance:

        ## Cells

        ### What is a cell?

        The smallest unit that lives.

        ### What is a nucleus?

        It holds the genes.

    Fix: set the level of questions in `deck.toml` or in the file's front matter. If the questions are in
    bold, set the dialect `details` with `question = "bold"`.

        ---
        question-level: 3
        ---
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the number of questions in the answer."""
        blocks = note.part("answer").blocks
        headings = [each for each in blocks if each.kind is BlockKind.HEADING and _ASKS.search(each.one_line)]
        bold = [each for each in blocks if each.kind is BlockKind.PARAGRAPH and _asks_in_bold(each)]
        if len(headings) >= _FEWEST_HEADINGS:
            yield self._report(note, headings, f"`question-level: {headings[0].level}` in the front matter")
        elif len(bold) >= _FEWEST_BOLD:
            yield self._report(note, bold, settings_for(BOLD_QUESTIONS))

    def _report(self, note: Reading, found: Sequence[Block], setting: str) -> Diagnostic:
        what = "question headings" if found[0].kind is BlockKind.HEADING else "questions in bold"
        message = f"{len(found)} {what} are part of this answer"
        return self.report(note.note.location, message, f"if they are separate questions, set {setting}", 2)


def _asks_in_bold(block: Block) -> bool:
    found = _BOLD.match(block.lines[0].text) if len(block.lines) == 1 else None
    return bool(found and _ASKS.search(found["text"]))
