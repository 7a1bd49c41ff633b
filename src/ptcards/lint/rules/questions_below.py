import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.source.readers.registry import BOLD_QUESTIONS, settings_for

_ASKS = re.compile(r"[?？][^\w\n?？]*\Z")
_BOLD = re.compile(r"\s*(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_\n]+)\1[^\w*]*\Z")
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3


class QuestionsBelow(Rule, severity="warning"):
    """The answer contains several questions, in headings or in bold.

    Why: only headings of one level are questions. If that level is for chapters, the questions below are lost
    in a chapter's answer.

    For instance:

        ## Cells

        ### What is a cell?

        The smallest unit that lives.

        ### What is a nucleus?

        It holds the genes.

    Fix: set the level of questions in `deck.toml` or in the file's front matter. For questions in
    bold, set the dialect `details` with `question = "bold"`.

        ---
        question-level: 3
        ---
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report how many questions are in the answer."""
        blocks = note.part("answer").blocks
        headings = [each for each in blocks if each.kind is BlockKind.HEADING and _ASKS.search(_words(each))]
        bold = [each for each in blocks if each.kind is BlockKind.PARAGRAPH and _asks_in_bold(each)]
        if len(headings) >= _FEWEST_HEADINGS:
            yield self._report(note, headings, f"`question-level: {headings[0].level}` in the front matter")
        elif len(bold) >= _FEWEST_BOLD:
            yield self._report(note, bold, settings_for(BOLD_QUESTIONS))

    def _report(self, note: Reading, found: Sequence[Block], setting: str) -> Diagnostic:
        what = "headings that ask" if found[0].kind is BlockKind.HEADING else "questions in bold"
        message = f"{len(found)} {what} are part of this answer"
        return self.report(note.note.location, message, f"set {setting}, if they are separate questions", 2)


def _words(block: Block) -> str:
    return " ".join(line.text for line in block.lines)


def _asks_in_bold(block: Block) -> bool:
    found = _BOLD.match(block.lines[0].text) if len(block.lines) == 1 else None
    return bool(found and _ASKS.search(found["text"]))
