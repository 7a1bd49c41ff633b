"""Answers that are too long, too bare, or given away by the question."""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.blocks import BlockKind
from ptcards.notes import Kind

_FEW = 8
"""An answer of this many words or fewer is little more than the term."""
_SHORTEST = 3
"""Characters. Shorter terms, such as `x` or `0`, give nothing away."""
_CHOOSES = re.compile(r"\bor\b|\bwhich\b|^(?:is|are|do|does|did|can|will|should)\b", re.IGNORECASE)


class AnswerInQuestion(Rule, severity="warning"):
    """The question gives away its own answer.

    Why: the learner gets the card right every time without recalling anything, so Anki shows it less and less
    often. Prompts should take effort (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/).

    For instance:

        ## How does `optimizer.zero_grad()` clear the gradients?

        `optimizer.zero_grad()`

    Fix: ask without using the words of the answer.

        ## What call clears the gradients of all parameters?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer's term in the heading."""
        if _CHOOSES.search(note.heading.plain):
            return
        for term in _terms(note):
            if len(term) < _SHORTEST:
                continue
            found = re.search(rf"(?<![\w.]){re.escape(term)}(?![\w.(])", note.heading.raw, re.IGNORECASE)
            if found:
                place = note.heading.locate(found.start())
                message = f"`{term}` is already the answer"
                yield self.report(place, message, "ask without using the words of the answer", len(term))


def _terms(note: Reading) -> list[str]:
    """Return the terms that answer the note, or none if the answer says more than that."""
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


class AnswerWords(Rule, severity="warning or hint", limits={"answer-words": 120, "answer-words-hint": 60}):
    """The answer is too long to recall.

    Why: learners grade what they recalled, and nobody can grade a whole page. In a well-known interview
    collection of 165 questions, 42 % of the answers have more than 60 words and 10 % more than 120; people
    read those answers but do not recall them. See the minimum information principle, rule 4 of Wozniak's
    Twenty rules (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than
    `answer-words` (120) words outside code and tables is a warning, more than `answer-words-hint` (60) a
    hint. Text below `### Details` does not count.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

        (three paragraphs)

    Fix: keep in the answer what you would say in the interview; move the rest below `### Details`, or into
    separate notes.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer's first line."""
        answer = note.part("answer")
        if exceeded := self.exceeded(answer.words):
            limit, severity = exceeded
            message = f"an answer of {answer.words} words, more than {limit}"
            fix = "keep what has to be recalled, and move the rest below `### Details` or into separate notes"
            yield self.report(answer.place, message, fix, severity=severity)


class BareAnswer(Rule, severity="hint", limits={"bare-answer": 3}, english=True):
    """The answer is a word or two, and nothing explains it.

    Why: "Do not learn if you do not understand"; shared decks "might not make any effort to add background
    information", and others then find them very difficult (Anki manual, Getting started). An answer of at
    most `bare-answer` (3) words, with no reason, code or `### Details`, is a hint.

    For instance:

        ## Which dtype does `torch.tensor([1, 2])` have?

        `torch.int64`

    Fix: add one sentence that says why, or a `### Details` section.

        `torch.int64`: Python integers become 64-bit integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer."""
        answer = note.part("answer")
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or note.part("details").blocks:
            return
        if len(answer.blocks) == 1 and not answer.codes and 0 < answer.words <= self.limits["bare-answer"]:
            fix = "add a sentence that says why, or `### Details`"
            yield self.report(answer.place, "an answer without a reason", fix)


_COMMENT = re.compile(r"(?:#|//|--|/\*)\s(.*)")


class CodeOnlyAnswer(Rule, severity="warning", limits={"code-only-answer": 5}):
    """The answer is code or output with no explanation.

    Why: a learner who does not understand the answer memorises what the code looks like. "Do not learn if you
    do not understand" (Anki manual, Getting started). Code with fewer than `code-only-answer` (5) words of
    explanation is a warning; comments in the code, hints and `### Details` count.

    For instance:

        ### Answer

        ```output
        tensor([0, 0])
        ```

    Fix: add the sentence that you would say aloud.

        `zeros_like` copies the dtype too, so the zeros are integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first block of code."""
        answer = note.part("answer")
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or not answer.codes:
            return
        comments = sum(
            len(comment.split()) for code in answer.codes for comment in _COMMENT.findall(code.source)
        )
        beside = sum(note.part(name).words for name in ("answer", "details", "hint"))
        tables = any(passage.table for passage in answer.passages)
        if comments + beside < self.limits["code-only-answer"] and not tables:
            fix = "add a sentence that says why, in the answer or below `### Details`"
            yield self.report(answer.codes[0].place, "the answer is code with no explanation", fix)


_FIX = "ask for parts of it, group the items, or move some below `### Details`"


class ListItems(Rule, severity="warning or hint", limits={"list-items": 7, "list-items-hint": 5}):
    """The answer is a long list.

    Why: lists are the hardest thing to recall, and one forgotten item fails the card. "Avoid sets" and
    "avoid enumerations", rules 9 and 10 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `list-items` (7)
    items is a warning, more than `list-items-hint` (5) a hint; lists below `### Details` do not count.

    For instance:

        ## Which steps does a training loop have?

        1. get a batch
        2. … nine more

    Fix: ask for parts of the list, turn it into a cloze, or group the items under three or four headings.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first item of each list that is too long."""
        answer = note.part("answer")
        for block in answer.blocks:
            items = len(block.children)
            if block.kind is BlockKind.LIST and (exceeded := self.exceeded(items)):
                limit, severity = exceeded
                place = answer.text.location(block.start, block.column)
                message = f"a list of {items} items, more than {limit}"
                yield self.report(place, message, _FIX, severity=severity)


_ADDS = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:also|additionally|moreover|furthermore|in addition|besides|on top of that)\b",
    re.IGNORECASE | re.MULTILINE,
)


class SeveralFacts(Rule, severity="hint", limits={"several-facts": 3}, english=True):
    """The answer strings several facts together.

    Why: each fact deserves its own schedule; together they are repeated as often as the hardest one. See the
    minimum information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). An answer with `several-facts`
    (3) or more sentences that begin with "also", "additionally", "moreover" and the like is a hint, and so is
    one with as many `###` headings.

    For instance:

        It saves memory. Also, it is faster. Additionally, it … Moreover, …

    Fix: keep the fact that the question asks for, and write separate notes for the others.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the word or heading that reaches the limit."""
        answer = note.part("answer")
        places = [
            passage.locate(found.start())
            for passage in (answer.passages if _ADDS.search(note.prose) else ())
            for found in _ADDS.finditer(passage.plain)
        ]
        headings = [
            answer.text.location(block.start, block.column)
            for block in answer.blocks
            if block.kind is BlockKind.HEADING and block.level <= 3
        ]
        for found in (places, headings):
            if len(found) >= self.limits["several-facts"]:
                place = found[self.limits["several-facts"] - 1]
                fix = "keep the fact that was asked for; write notes for the others"
                yield self.report(place, "several facts in one answer", fix)
                return


class TypedCharacters(Rule, severity="hint", limits={"typed-characters": 30}):
    """The answer to type is long.

    Why: Anki compares it letter by letter, and a typing error on a phone is not a memory error. More than
    `typed-characters` (30) characters is a hint.

    For instance:

        ## Which call clears the gradients?
        <!-- card: kind=typed -->

        `optimizer.zero_grad(set_to_none=True) before the backward pass`

    Fix: ask only for the name, or make the note basic.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        typed = note.note.typed
        if len(typed) > self.limits["typed-characters"]:
            message = f"{len(typed)} characters to type, more than {self.limits['typed-characters']}"
            fix = "ask only for the name, or remove `kind=typed`"
            yield self.report_passage(note.heading, message, fix)
