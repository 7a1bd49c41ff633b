"""Determines the kind of a note from its blocks, and reads the parts that only some kinds have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ptcards.diagnostics import Diagnostic, Location, counted, error
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.markdown.emphasis import find_edges
from ptcards.markdown.inlines import read_inlines
from ptcards.markdown.tree import SpanKind
from ptcards.notes import Choice, Kind, Line, Text
from ptcards.source.block_checks import check_box
from ptcards.source.content import Content
from ptcards.source.sections import NoteBlocks

MIN_CHOICES, MAX_CHOICES = 2, 10

_MARK = re.compile(r"([-+*]|\d{1,9}[.)])( *)")
_BOX = re.compile(r"\[[ xX]\]\s*$")  # on GitHub, a box with nothing after it is text


@dataclass(frozen=True, slots=True)
class Body:
    """The blocks of a note's question and answer, and its list of options if it is a choice."""

    question: Sequence[Block]
    answer: Sequence[Block]
    options: Block | None


def option_lists(blocks: Sequence[Block]) -> list[Block]:
    """Return the task lists among blocks: those with at least one `[ ]` or `[x]` item."""
    return [
        block
        for block in blocks
        if block.kind is BlockKind.LIST and any(item.task is not None for item in block.children)
    ]


def decide_kind(note: NoteBlocks, text: Text, deletions: bool) -> tuple[Kind, list[Diagnostic]]:  # noqa: FBT001 - a property of the note, not a switch
    """Return the kind of a note, and diagnostics.

    The kind is the one that the author set; otherwise, it depends on options and deletions. `deletions` is
    true if the note's text has deletions outside code.
    """
    if note.attributes.kind is not None:
        return note.attributes.kind, []
    options = option_lists(note.body) + option_lists(note.sections.get("Answer", []))
    if options and deletions:
        place = text.location(note.heading.start, note.heading.column)
        fix = "write two notes, or set `kind=choice`, `kind=cloze` or `kind=basic` in the card comment"
        return Kind.BASIC, [
            error(place, "choice-and-cloze", "a note with both a task list and deletions", fix, 2)
        ]
    if options:
        return Kind.CHOICE, []
    return (Kind.CLOZE if deletions else Kind.BASIC), []


def divide_body(note: NoteBlocks, kind: Kind, text: Text) -> tuple[Body, list[Diagnostic]]:
    """Return the blocks of the question, the answer and the options of a note, and diagnostics."""
    answer = note.sections.get("Answer")
    if kind is not Kind.CHOICE:
        return (Body((), note.body, None) if answer is None else Body(note.body, answer, None)), []
    diagnostics = []
    heading = text.location(note.heading.start, note.heading.column)
    lists = option_lists(note.body)
    if answer is not None:
        fix = "remove `### Answer`, because the options are the answer, or set `kind=basic`"
        return Body(note.body, answer, None), [
            error(heading, "choice-with-answer", "a choice note with `### Answer`", fix, 2)
        ]
    if not lists:
        fix = "write the options as a list, `- [ ] wrong` and `- [x] right`"
        return Body((), note.body, None), [
            error(heading, "no-options", "a choice note without options", fix, 2)
        ]
    for extra in lists[1:]:
        fix = "merge the lists, or set `kind=basic` if they are not options"
        diagnostics.append(
            error(
                text.location(extra.start, extra.column),
                "second-option-list",
                "a second task list in one note",
                fix,
            )
        )
    where = note.body.index(lists[0])
    return Body(note.body[:where], note.body[where + 1 :], lists[0]), diagnostics


def read_choices(options: Block, text: Text, lines: list[str]) -> tuple[tuple[Choice, ...], list[Diagnostic]]:
    """Return the items of a task list as the options of a note, and diagnostics."""
    diagnostics = []
    choices = []
    place = text.location(options.start, options.column)
    for item in options.children:
        if item.task is None and _BOX.search(lines[item.start]):
            diagnostics.append(_empty_option(item, text))
            continue
        if item.task is None:
            fix = "begin each option with `[ ]` or `[x]`"
            diagnostics.append(
                error(
                    text.location(item.start, item.column),
                    "option-without-box",
                    "an option without a box",
                    fix,
                )
            )
            continue
        diagnostics += [problem.at(text.location(*where)) for problem, *where in check_box(item)]
        choice = _choice(item, text, lines)
        if not choice.text:
            diagnostics.append(_empty_option(item, text))
        choices.append(choice)
    if not MIN_CHOICES <= len(options.children) <= MAX_CHOICES:
        count = len(options.children)
        message = f"{counted(count, 'option')}: a choice has {MIN_CHOICES} to {MAX_CHOICES}"
        diagnostics.append(error(place, "option-count", message, "add or merge options, or set `kind=basic`"))
    if not any(item.task for item in options.children):
        diagnostics.append(
            error(
                place,
                "no-right-option",
                "no option is marked as right",
                "mark it with `[x]`, or set `kind=basic`",
            )
        )
    return tuple(choices), diagnostics


def _empty_option(item: Block, text: Text) -> Diagnostic:
    fix = "write it after the box, or remove the item"
    return error(text.location(item.start, item.column), "empty-option", "an option without text", fix)


def _choice(item: Block, text: Text, lines: list[str]) -> Choice:
    own = [child for child in item.children if child.kind is not BlockKind.LIST]
    nested = [child for child in item.children if child.kind is BlockKind.LIST]
    if len(nested) == 1 and len(nested[0].children) == 1:
        # A single item is shown as a sentence, not as a list.
        comment = _inside(
            nested[0].children[0].children, _content_indent(nested[0].children[0], lines), lines
        )
    else:
        comment = _inside(nested, nested[0].column - 1 if nested else 0, lines)
    return Choice(
        text.cut(_inside(own, _content_indent(item, lines), lines)),
        text.cut(comment),
        correct=bool(item.task),
    )


def _content_indent(item: Block, lines: list[str]) -> int:
    """Return the number of columns to the left of an item's content, counted as in CommonMark."""
    mark = _MARK.match(lines[item.start], item.column - 1)
    assert mark is not None  # noqa: S101 - the scanner found a mark
    spaces = len(mark[2])
    return mark.end(1) + (spaces if 1 <= spaces <= 4 else 1)


def _inside(blocks: Sequence[Block], indent: int, lines: list[str]) -> list[Line]:
    """Return the lines of blocks inside an item whose content begins `indent` columns from the left."""
    cut: list[Line] = []
    for block in blocks:
        cut += [Line("", block.start)] if cut else []
        # The first line may follow the item's mark and box.
        column = block.lines[0].column if block.kind is BlockKind.PARAGRAPH else block.column
        cut.append(Line(lines[block.start][column - 1 :], block.start, column))
        for index in range(block.start + 1, block.end):
            start = min(len(lines[index]) - len(lines[index].lstrip(" \t")), indent)
            cut.append(Line(lines[index][start:], index, start + 1))
    return cut


def read_typed(answer: Sequence[Block], text: Text) -> tuple[str, Sequence[Block], list[Diagnostic]]:
    """Return the text to type (the top of an answer), the remaining blocks, and diagnostics."""
    first = answer[0] if answer else None
    if first is None:
        return "", answer, []
    line = first.lines[0].text.strip() if first.lines else ""
    if first.kind is BlockKind.PARAGRAPH and len(first.lines) == 1 and (typed := _plain(line)):
        return typed, answer[1:], []
    fix = "begin the answer with a separate paragraph: one line of plain text, or one code span"
    place = text.location(first.start, first.column)
    return "", answer, [error(place, "typed-answer-not-plain", "this cannot be typed as an answer", fix)]


def _plain(line: str) -> str:
    """Return a line as learners see it if it is plain text or one code span, otherwise an empty string."""
    found = read_inlines(line, {}, (), deletions_too=False)
    if any(span.kind is not SpanKind.BARE_LINK for span in found.spans):
        code = found.spans[0]
        return code.text if code.kind is SpanKind.CODE and (code.start, code.end) == (0, len(line)) else ""
    return "" if find_edges(line, [(0, len(line))]) or found.lone_footnotes else line


def check_deletions(
    kind: Kind, place: Location, contents: dict[str, Content], *, chosen: bool
) -> list[Diagnostic]:
    """Return errors for deletions that would not be asked, and for a cloze without any.

    `contents` maps the names of the note's parts to their contents; deletions belong in `answer`. `chosen` is
    true if the author set the kind.
    """
    diagnostics: list[Diagnostic] = []
    if kind is not Kind.CLOZE and chosen:
        return diagnostics
    for name, content in contents.items():
        if name != "answer":
            for deletion in content.deletions:
                fix = "move it into the note's text, or write it in backticks"
                message = "a deletion outside the note's text is not asked"
                diagnostics.append(
                    error(deletion.location, "deletion-outside-text", message, fix, deletion.length)
                )
    if kind is Kind.CLOZE:
        answer = contents["answer"]
        diagnostics += answer.deletion_problems
        diagnostics += answer.code_deletion_problems if chosen else ()
        if not answer.deletions and not (chosen and answer.code_deletions) and not answer.deletion_problems:
            fix = "mark the text to recall: `{{c1::text}}`"
            diagnostics.append(error(place, "no-deletion", "a cloze without a deletion", fix, 2))
    return diagnostics
