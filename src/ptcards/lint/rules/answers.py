"""Answers that are too long, too bare, or given away by the question."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Passage, Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.fences import MATH
from ptcards.markdown.links import is_played
from ptcards.markdown.tree import LIST, Span
from ptcards.notes import Kind

_FEW = 8
"""An answer of at most this many words is little more than the term."""
_SHORTEST = 3
"""The minimum length of a term: shorter ones, such as `x` or `0`, give nothing away."""
_WORD = re.compile(r"\w*\d\w*|\w{3,}")
"""Matches a word that may give something away: a number, or three characters and more."""
_COMMON = frozenset(
    "also both does each from have into just less like more most must need only over same some such than "
    "that them then they this used very what when will with your".split()
)
"""Words of four letters that any sentence may have."""
_CHOOSES = re.compile(r"\bor\b|\bwhich\b|^(?:is|are|do|does|did|can|will|should)\b", re.IGNORECASE)


class AnswerInQuestion(Rule, severity="warning", taste=True):
    """The question gives away its own answer.

    Why: the learner gets the card right every time without recalling anything, so Anki shows it less and less
    often. Prompts should take effort to answer (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/). In a cloze, everything else in the text is part of the question, and
    so is what the other deletions hide.

    For instance:

        ## How does `optimizer.zero_grad()` clear the gradients?

        `optimizer.zero_grad()`

    Fix: ask without using the words of the answer.

        ## What call clears the gradients of all parameters?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the heading contains the answer, and deletions whose words are also shown."""
        if note.note.kind is Kind.CLOZE:
            yield from self._check_cloze(note)
        terms = _terms(note)
        if not terms or _CHOOSES.search(note.heading.plain):
            return
        for term in terms:
            if len(term) < _SHORTEST:
                continue
            found = re.search(rf"(?<![\w.]){re.escape(term)}(?![\w.(])", note.heading.raw, re.IGNORECASE)
            if found:
                place = note.heading.locate(found.start())
                message = f"the question contains the answer `{term}`"
                yield self.report(place, message, "ask without using the words of the answer", len(term))

    def _check_cloze(self, note: Reading) -> Iterator[Diagnostic]:
        passages = note.part("answer").passages
        text = "\n".join([each.raw for each in passages]).casefold()
        for passage in passages:
            for span in passage.hidden:
                words = _words(passage.raw[span.inner : span.inner_end])
                says_something = any(map(_says_something, words))
                # Each word is in the deletion once. Counting takes less time than making the card's text.
                is_twice = says_something and all(text.count(word) > 1 for word in words)
                if is_twice and words <= _shown(passages, passage, span):
                    message = "the rest of the text shows what this deletion hides"
                    fix = "hide something else, or reword the rest"
                    yield self.report(passage.locate(span.inner), message, fix, span.inner_end - span.inner)


def _shown(passages: Sequence[Passage], passage: Passage, span: Span) -> set[str]:
    """Return the words on the card that hides a deletion, except those that the card hides."""
    number = _number(passage, span)
    shown: set[str] = set()
    for each in passages:
        text = list(each.raw)
        for hidden in each.hidden:
            if _number(each, hidden) == number:
                text[hidden.start : hidden.end] = " " * (hidden.end - hidden.start)
        shown |= _words("".join(text))
    return shown


def _number(passage: Passage, span: Span) -> str:
    """Return the mark that begins a deletion, such as `{{c1::`: one card hides all that have it."""
    return passage.raw[span.start : span.inner]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _says_something(word: str) -> bool:
    return len(word) > _SHORTEST and word not in _COMMON


def _terms(note: Reading) -> list[str]:
    """Return the terms that answer the question, or none if the answer is more than a term."""
    answer = note.part("answer")
    match note.note.kind:
        case Kind.TYPED:
            return [note.note.typed]
        case Kind.BASIC if answer.words <= _FEW and not answer.codes:
            codes = {code for passage in answer.passages for code in passage.codes}
            return [*codes] if len(codes) == 1 else []
        case Kind.CLOZE:
            hidden = [
                passage.raw[span.inner : span.inner_end].strip("`* ")
                for passage in answer.passages
                for span in passage.hidden
            ]
            return list(dict.fromkeys(hidden))
        case _:
            return []


class AnswerWords(
    Rule, severity="warning or hint", limits={"answer-words": 120, "answer-words-hint": 60}, taste=True
):
    """The answer is too long to recall.

    Why: learners grade what they recalled, and nobody can grade a page of text. In a well-known collection of
    165 interview questions, 42% of the answers have more than 60 words and 10% have more than 120; people
    read such answers but do not recall them. See the minimum information principle, rule 4 of Wozniak's
    Twenty rules (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than
    `answer-words` (120) words outside code and tables cause a warning, and more than `answer-words-hint` (60)
    a hint. Text below `### Details` does not count.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

        (three paragraphs)

    Fix: keep what you would say in an interview, and move the rest below `### Details` or into separate
    notes.

        ## Why does evaluation run under `torch.no_grad()`?

        It saves the memory of the graph.

        ### Details

        (the other two paragraphs)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first line of an answer that is too long."""
        answer = note.part("answer")
        words = answer.words
        if note.note.items:  # each is recalled on a card of its own
            words = max(len(item.markdown.split()) for item in note.note.items)
        if exceeded := self.exceeded(words):
            limit, severity = exceeded
            message = f"the answer has {words} words, more than {limit}"
            fix = "keep what must be recalled, and move the rest below `### Details` or into separate notes"
            yield self.report(answer.place, message, fix, severity=severity)


class BareAnswer(Rule, severity="hint", limits={"bare-answer": 3}, english=True, once=True):
    """The answer is a word or two, and nothing explains it.

    Why: "Do not learn if you do not understand" (Anki manual, Getting started). The manual warns that the
    authors of shared decks "might not make any effort to add background information", which makes the decks
    very difficult for others. An answer of at most `bare-answer` (3) words causes a hint if it has no reason,
    code or `### Details`. There is one hint for each file, with the number of its other answers.

    For instance:

        ## What dtype does `torch.tensor([1, 2])` have?

        `torch.int64`

    Fix: add a sentence that says why, or a `### Details` section.

        `torch.int64`: Python integers become 64-bit integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer if nothing explains it."""
        answer = note.part("answer")
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or note.part("details").blocks:
            return
        if not 0 < answer.words <= self.limits["bare-answer"] or answer.codes or len(answer.blocks) != 1:
            return
        if not any(is_played(span.destination) for passage in answer.passages for span in passage.all_spans):
            fix = "add a sentence that says why, or a `### Details` section"
            length = len(answer.passages[0].raw.partition("\n")[0]) if answer.passages else 1
            yield self.report(answer.place, "the answer gives no reason", fix, max(1, length))


class JoinedLines(Rule, severity="hint"):
    """Several short lines of an answer become one line on the card.

    Why: in Markdown, a line break alone is a space, on GitHub as in Anki. Prose may be wrapped anywhere, but
    three or more lines in a row that are all short are most likely meant to stay apart.

    For instance:

        ## What are indications for dialysis?

        Acidosis
        Electrolytes
        Ingestion
        Overload

    Fix: write a list, or end each line with a backslash.

        - Acidosis
        - Electrolytes
        - Ingestion
        - Overload
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each paragraph of short lines."""
        passages = (*note.part("answer").passages, *note.part("details").passages)
        for passage in (each for each in passages if "\n" in each.raw):
            rows = [row for row in passage.raw.split("\n") if not row.startswith("![")]
            if len(rows) < _FEWEST_ROWS or max(map(len, rows)) > _LONGEST_ROW or _BREAK.search(passage.raw):
                continue
            if not any("\n" in passage.raw[span.start : span.end] for span in passage.spans):
                fix = "begin each line with `- `, or end it with a backslash"
                message = f"these {len(rows)} short lines become one line on the card"
                yield self.report(passage.locate(passage.raw.index(rows[0])), message, fix, len(rows[0]))


_FEWEST_ROWS = 3
_LONGEST_ROW = 30
"""Nobody wraps prose at so few characters."""
_BREAK = re.compile(r"(?:,|\\|  |<br[\s/]*>)\n", re.IGNORECASE)
"""Matches the end of a line that is not meant to be apart, or stays apart."""
_COMMENT = re.compile(r"(?:#|//|--|/\*)\s(.*)")


class CodeOnlyAnswer(Rule, severity="warning", limits={"code-only-answer": 5}, taste=True):
    """The answer is code or output with no explanation.

    Why: a learner who does not understand the answer only memorises what the code looks like. "Do not learn
    if you do not understand" (Anki manual, Getting started). Code with fewer than `code-only-answer` (5)
    words of explanation causes a warning; comments in the code, hints and `### Details` count as explanation.

    For instance:

        ### Answer

        ```output
        tensor([0, 0])
        ```

    Fix: add the sentence that you would say aloud.

        `zeros_like` copies the dtype too, so the zeros are integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first block of code if the note barely explains it."""
        answer = note.part("answer")
        codes = [code for code in answer.codes if code.language != MATH]
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or not codes:
            return
        beside = sum(note.part(name).words for name in ("answer", "details", "hint"))
        if beside >= self.limits["code-only-answer"]:
            return
        comments = sum(len(comment.split()) for code in codes for comment in _COMMENT.findall(code.source))
        tables = any(passage.table for passage in answer.passages)
        if comments + beside < self.limits["code-only-answer"] and not tables:
            fix = "add a sentence that says why, in the answer or below `### Details`"
            message = "the answer is code with no explanation"
            yield self.report(codes[0].place, message, fix, len(codes[0].opening))


_FIX = "ask each item with `kind=sequence` or `kind=set`, or group the items"


class ListItems(Rule, severity="warning or hint", limits={"list-items": 7, "list-items-hint": 5}, taste=True):
    """The answer is a long list.

    Why: lists are the hardest thing to recall, and one forgotten item fails the card. "Avoid sets" and "avoid
    enumerations" are rules 9 and 10 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `list-items` (7)
    items cause a warning, and more than `list-items-hint` (5) a hint. Lists below `### Details` do not count.

    For instance:

        ## What steps does a training loop have?

        1. get a batch
        2. … nine more

    Fix: ask for each item with `kind=sequence` (or `kind=set` if their order does not matter), ask for parts
    of the list, or group the items under three or four headings.

        ## What are the three stages of a training step?

        1. the forward pass
        2. the backward pass
        3. the update
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first item of each list that is too long."""
        answer = note.part("answer")
        for block in answer.blocks:
            items = len(block.children)
            is_recalled = block.kind is LIST and not note.note.kind.asks_items
            if is_recalled and (exceeded := self.exceeded(items)):
                limit, severity = exceeded
                place = answer.text.location(block.start, block.column)
                message = f"the list has {items} items, more than {limit}"
                yield self.report(place, message, _FIX, severity=severity)
