"""Explains why a note should be fixed, and how, from its reviews and its text."""

from collections.abc import Iterator

from ptcards.diagnostics import counted
from ptcards.lint.note import Reading, read
from ptcards.markdown.inlines import SpanKind
from ptcards.notes import Kind, Note
from ptcards.reviews.figures import Figures

FEWEST = 5
"""The minimum number of reviews of a note that counts as evidence."""
_OFTEN = 0.2
"""The share of failed reviews that counts as failing often: twice what Anki expects."""
_SLOW = 30
"""The median number of seconds that counts as slow."""
_MUCH = 25
"""The number of words to recall above which a note should be split."""
_MUCH_CODE = 8
"""The number of lines of code to recall above which the question should ask for only some of them."""
_LONG = 40
"""The number of words above which a question is long."""
_MOST_OPTIONS = 5


def reason_for(note: Note, figures: Figures) -> str:
    """Return why a note should be fixed and how; empty if there is no reason, or too little evidence."""
    if figures.reviews < FEWEST:
        return ""
    if figures.likely_failures >= _OFTEN:
        why = f"fails {figures.failed} of {figures.reviews} times"
    elif figures.is_leech:
        why = f"a leech with {counted(figures.lapses, 'lapse')}"
    elif figures.seconds is not None and figures.seconds >= _SLOW:
        why = f"takes {figures.seconds:.0f} s"
    else:
        return ""
    return f"{why}; {_advice(note)}"


def _advice(note: Note) -> str:
    """Return how to make a note easier, from what makes its text hard."""
    text, _ = read(note)
    if (words := _words_to_recall(text)) >= _MUCH:
        return f"{words} words to recall: split it"
    if (lines := _code_to_recall(text)) >= _MUCH_CODE:
        return f"{lines} lines of code to recall: ask for one of them"
    if (right := sum(choice.correct for choice in note.choices)) > 1:
        return f"{right} right options: ask for one"
    if len(note.choices) > _MOST_OPTIONS:
        return f"{len(note.choices)} options: leave out the weakest"
    if (words := text.heading.words + text.part("question").words) >= _LONG:
        return f"{words} words to read: shorten the question"
    return "ask more precisely" if note.hint else "add a hint, or ask more precisely"


def _words_to_recall(text: Reading) -> int:
    """Return the number of words to recall: those of the answer, or of a cloze's longest deletion."""
    match text.note.kind:
        case Kind.CHOICE:
            return 0
        case Kind.CLOZE:
            return max(_deleted(text), default=0)
        case _:
            return text.part("answer").words


def _code_to_recall(text: Reading) -> int:
    """Return the number of lines of code in an answer that has to be known."""
    if text.note.kind in (Kind.CHOICE, Kind.CLOZE):
        return 0
    return sum(len(code.rows) for code in text.part("answer").codes if code.language != "output")


def _deleted(text: Reading) -> Iterator[int]:
    for passage in (text.heading, *text.part("answer").passages):
        for span in passage.all_spans:
            if span.kind is SpanKind.DELETION:
                yield len(passage.plain[span.inner : span.inner_end].split())
