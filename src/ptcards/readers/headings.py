"""Reads our own format: a heading is a question, and its answer follows.

The blocks of a note decide its kind, and some kinds have parts of their own: choices, typed answers, and the
fields of a note type that the collection defines.

Fields come from the heading, the body, and the sections named after fields.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, error, warning
from ptcards.files.inputs import in_words
from ptcards.markdown.inlines import find_edges, read_inlines
from ptcards.markdown.tree import DEFINITIONS, FOOTNOTE, HEADING, HTML, LIST, PARAGRAPH, Block, SpanKind
from ptcards.notes import Choice, Kind, Line, Note, Text
from ptcards.notes.notetypes import NoteType
from ptcards.readers.boxes import read_boxes
from ptcards.source.attributes import is_card_comment, is_skip
from ptcards.source.content import Definitions, check_box
from ptcards.source.page import DeckPart, Page, ReaderResult, ReadNote, cut_blocks
from ptcards.source.sections import (
    DeckBlocks,
    NoteBlocks,
    Sorter,
    SourceBlocks,
    TypeOf,
    decks_in_answers,
    plain_heading,
)

MIN_CHOICES, MAX_CHOICES = 2, 10
MAX_ITEMS = 100
"""The maximum number of items that one note asks."""

_MARK = re.compile(r"([-+*]|\d{1,9}[.)])( *)")
_BOX = re.compile(r"\[[ xX]\]\s*$")  # on GitHub, a box with nothing after it is text


class Body(NamedTuple):
    """The blocks of a note's question and answer, and its list of options if it is a choice."""

    question: Sequence[Block]
    answer: Sequence[Block]
    options: Block | None


def option_lists(blocks: Sequence[Block]) -> list[Block]:
    """Return the task lists among blocks: those with at least one `[ ]` or `[x]` item."""
    return [
        block
        for block in blocks
        if block.kind is LIST and any(item.task is not None for item in block.children)
    ]


def decide_kind(note: NoteBlocks, page: Page, deletions: bool) -> tuple[Kind, list[Diagnostic]]:  # noqa: FBT001 - a property of the note, not a switch
    """Return the kind of a note, and diagnostics.

    The kind is the one that the author set; otherwise, it depends on options and deletions. `deletions` is
    true if the note's text has deletions outside code.
    """
    if note.attributes.kind is not None:
        return note.attributes.kind, []
    lists = option_lists(note.body) + option_lists(note.sections.get("Answer", []))
    options = sum(len(each.children) for each in lists) >= MIN_CHOICES
    if options and deletions:
        place = page.place(note.heading)
        fix = "write two notes, or set `kind=choice`, `kind=cloze` or `kind=basic` in the card comment"
        message = "a note with both a task list and deletions"
        return Kind.BASIC, [error(place, "choice-and-cloze", message, fix, 2)]
    if options:
        return Kind.CHOICE, []
    fix = "add options if this is a choice, or set `kind=basic`"
    message = f"one box is a list: a choice has {MIN_CHOICES} to {MAX_CHOICES} options"
    return (Kind.CLOZE if deletions else Kind.BASIC), [
        warning(page.place(each), "option-count", message, fix) for each in lists
    ]


def divide_body(note: NoteBlocks, kind: Kind, page: Page) -> tuple[Body, list[Diagnostic]]:
    """Return the blocks of the question, the answer and the options of a note, and diagnostics."""
    answer = note.sections.get("Answer")
    if kind is not Kind.CHOICE:
        return (Body((), note.body, None) if answer is None else Body(note.body, answer, None)), []
    diagnostics = []
    heading = page.place(note.heading)
    lists = option_lists(note.body)
    if answer is not None:
        fix = "remove `### Answer`, because the options are the answer, or set `kind=basic`"
        found = error(heading, "choice-with-answer", "a choice note with `### Answer`", fix, 2)
        return Body(note.body, answer, None), [found]
    if not lists:
        fix = "write the options as a list, `- [ ] wrong` and `- [x] right`"
        found = error(heading, "no-options", "a choice note without options", fix, 2)
        return Body((), note.body, None), [found]
    for extra in lists[1:]:
        message, fix = (
            "a second task list in one note",
            "merge the lists, or set `kind=basic` if they are not options",
        )
        diagnostics.append(error(page.place(extra), "second-option-list", message, fix))
    where = note.body.index(lists[0])
    return Body(note.body[:where], note.body[where + 1 :], lists[0]), diagnostics


def read_choices(options: Block, page: Page) -> tuple[tuple[Choice, ...], list[Diagnostic]]:
    """Return the items of a task list as the options of a note, and diagnostics."""
    diagnostics = []
    choices = []
    place = page.place(options)
    for item in options.children:
        if item.task is None and _BOX.search(page.lines[item.start]):
            diagnostics.append(_empty_option(item, page))
            continue
        if item.task is None:
            fix = "begin each option with `[ ]` or `[x]`"
            diagnostics.append(error(page.place(item), "option-without-box", "an option without a box", fix))
            continue
        diagnostics += [problem.at(page.text.location(*where)) for problem, *where in check_box(item)]
        choice = _choice(item, page)
        if not choice.text:
            diagnostics.append(_empty_option(item, page))
        choices.append(choice)
    if not MIN_CHOICES <= len(options.children) <= MAX_CHOICES:
        count = len(options.children)
        message = f"{counted(count, 'option')}: a choice has {MIN_CHOICES} to {MAX_CHOICES}"
        said = error if count < MIN_CHOICES else warning
        diagnostics.append(said(place, "option-count", message, "add or merge options, or set `kind=basic`"))
    if not any(item.task for item in options.children):
        fix = "mark it with `[x]`, or set `kind=basic`"
        diagnostics.append(error(place, "no-right-option", "no option is marked as right", fix))
    return tuple(choices), diagnostics


def read_items(
    note: NoteBlocks, answer: Sequence[Block], page: Page
) -> tuple[tuple[Text, ...], list[Diagnostic]]:
    """Return the items of the first list of an answer, each of which is a card, and diagnostics."""
    listed = next((block for block in answer if block.kind is LIST), None)
    kind = note.attributes.kind
    what, fix = f"a {kind}", "write the items as a list, `1. first` and `2. second`"
    if kind is Kind.OCCLUSION:
        what = "an occlusion"
        fix = "write the boxes as a list: left, top, width and height, `- 12% 30% 18% 6%: label`"
    if listed is None:
        message = f"{what} without a list"
        return (), [error(page.place(note.heading), "no-list", message, fix, 2)] if answer else []
    diagnostics = []
    items = []
    for item in listed.children:
        items.append(page.text.cut(_inside(item.children, _content_indent(item, page.lines), page.lines)))
        if not items[-1].markdown.strip():
            place = page.place(item)
            fix = "write what to recall, or remove the item"
            diagnostics.append(error(place, "empty-item", "an item without text", fix))
    if len(items) > MAX_ITEMS:
        message = f"{counted(len(items), 'item')}: {what} has at most {MAX_ITEMS}"
        place = page.place(listed)
        diagnostics.append(error(place, "item-count", message, "divide the list among several notes"))
    return tuple(items), diagnostics


def _empty_option(item: Block, page: Page) -> Diagnostic:
    fix = "write it after the box, or remove the item"
    return error(page.place(item), "empty-option", "an option without text", fix)


def _choice(item: Block, page: Page) -> Choice:
    lines, text = page.lines, page.text
    own = [child for child in item.children if child.kind is not LIST]
    nested = [child for child in item.children if child.kind is LIST]
    if len(nested) == 1 and len(nested[0].children) == 1:
        # A single item is shown as a sentence, not as a list.
        only = nested[0].children[0]
        comment = _inside(only.children, _content_indent(only, lines), lines)
    else:
        comment = _inside(nested, nested[0].column - 1 if nested else 0, lines)
    said = text.cut(_inside(own, _content_indent(item, lines), lines))
    return Choice(said, text.cut(comment), correct=bool(item.task))


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
        column = block.lines[0].column if block.kind is PARAGRAPH else block.column
        cut.append(Line(lines[block.start][column - 1 :], block.start, column))
        for index in range(block.start + 1, block.end):
            start = min(len(lines[index]) - len(lines[index].lstrip(" \t")), indent)
            cut.append(Line(lines[index][start:], index, start + 1))
    return cut


def read_typed(answer: Sequence[Block], page: Page) -> tuple[str, Sequence[Block], list[Diagnostic]]:
    """Return the text to type (the top of an answer), the remaining blocks, and diagnostics."""
    first = answer[0] if answer else None
    if first is None:
        return "", answer, []
    line = first.lines[0].text.strip() if first.lines else ""
    if first.kind is PARAGRAPH and len(first.lines) == 1 and (typed := _plain(line)):
        return typed, answer[1:], []
    fix = "begin the answer with a separate paragraph: one line of plain text, or one code span"
    place = page.place(first)
    return "", answer, [error(place, "typed-answer-not-plain", "this cannot be typed as an answer", fix)]


def _plain(line: str) -> str:
    """Return a line as learners see it if it is plain text or one code span, otherwise an empty string."""
    inlines = read_inlines(line, {}, (), deletions_too=False)
    if any(span.kind is not SpanKind.BARE_LINK for span in inlines.spans):
        code = inlines.spans[0]
        return code.text if code.kind is SpanKind.CODE and (code.start, code.end) == (0, len(line)) else ""
    return "" if find_edges(line, [(0, len(line))]) or inlines.lone_footnotes else line


_NO_TEXT = Text()


def read_fields(
    note: NoteBlocks, note_type: NoteType, cut: Callable[[Sequence[Block]], Text], page: Page
) -> tuple[tuple[tuple[str, Text], ...], list[Diagnostic]]:
    """Return all fields with their names, in order, and diagnostics.

    The first field is empty if its text is the heading.
    """
    names = note_type.field_names
    texts = {name: cut(blocks) for name, blocks in note.sections.items()}
    body = cut(note.body)
    diagnostics = []
    if body and (len(names) == 1 or texts.get(names[1])):
        field = names[1] if len(names) > 1 else names[0]
        place = page.place(note.body[0])
        message = "this text belongs to no field" if len(names) == 1 else f"`{field}` is written twice"
        fix = f"move it below `### {field}`" if len(names) == 1 else f"merge it into `### {field}`"
        diagnostics.append(error(place, "text-without-field", message, fix))
    elif body:
        texts[names[1]] = body
    return tuple((name, texts.get(name, _NO_TEXT)) for name in names), diagnostics


def read(page: Page, definitions: Definitions) -> ReaderResult:
    """Return the parts of the notes below a source's headings."""
    first = next((line for line in page.lines if line.strip()), "")
    if is_skip(first):
        return ReaderResult(is_skipped=True)
    return _HeadingsReader(page, definitions).read()


class _HeadingsReader:
    def __init__(self, page: Page, definitions: Definitions) -> None:
        self.page = page
        self.definitions = definitions
        self.found = ReaderResult()
        self.nothing = cut_blocks(page, ())

    def read(self) -> ReaderResult:
        page, result, settings = self.page, self.found, self.page.settings
        mark = settings.mark if settings.cards == "marked" else ""
        text, type_of = page.text, settings.type_of
        sorter = MarkedSorter(text, mark, type_of) if mark else Sorter(text, settings.question_level, type_of)
        parsed = sorter.run(page.document)
        result.diagnostics += [*self.definitions.repeats(), *parsed.diagnostics]
        if not mark:
            result.diagnostics += decks_in_answers(parsed.decks, page.text, page.lines)
        decks = [each for each in parsed.decks if each.heading is not None or each.notes]
        single = sum(each.heading is not None for each in decks) == 1
        notes = [each for deck in decks for each in self._deck(deck, single=single)]
        # Lazy, because the contents of a note's texts are only kept until the next note.
        result.notes = starmap(self._note, notes)
        children = page.document.children
        result.footnotes = [] if mark else [block for block in children if block.kind is FOOTNOTE]
        return result

    def _deck(self, deck: DeckBlocks, *, single: bool) -> Iterator[tuple[NoteBlocks, DeckPart]]:
        """Keep a deck and the decks of its chapters, and yield each of its notes with the note's deck."""
        page = self.page
        name = page.name.rpartition("/")[2].rpartition(".")[0].removesuffix(f".{page.settings.translation}")
        title = plain_heading(deck.heading) if deck.heading else in_words(name)
        # A README describes its folder, so it does not add a level.
        levels = () if deck.heading is None and name.lower() == "readme" else (title,)
        place = page.place(deck.heading) if deck.heading else Location(page.text.path, 1)
        part = DeckPart(levels, place, self._cut(deck.description), alone=single or deck.heading is None)
        self.found.decks.append(part)
        chapters: dict[tuple[str, ...], DeckPart] = {(): part}
        for note in deck.notes:
            names = tuple(map(plain_heading, note.chapters)) if page.settings.chapters == "decks" else ()
            if names not in chapters:
                chapters[names] = DeckPart((*levels, *names), page.place(note.chapters[-1]))
                self.found.decks.append(chapters[names])
            yield note, chapters[names]

    def _cut(self, blocks: Sequence[Block]) -> Text:
        return cut_blocks(self.page, blocks) if blocks else self.nothing

    def _note(self, note: NoteBlocks, deck: DeckPart) -> ReadNote:
        page, text, report = self.page, self.page.text, self.found.diagnostics
        heading = text.cut(note.title)
        if problem := page.settings.unknown_type(note.attributes.type):
            place, length = note.attributes.places["type"], len(note.attributes.type)
            report.append(error(place, *problem, length))
        if note_type := page.settings.type_of(note.attributes):
            return self._own_note(note, deck, heading, note_type)
        if self._is_sentence(note, heading):
            return self._sentence(note, deck, heading)
        blocks = note.sections.get("Answer", note.body)
        cut = self._cut(blocks)
        inspected = self.definitions.inspect(self.definitions.added(cut))
        kind, problems = decide_kind(note, page, bool(inspected.deletions or inspected.deletion_problems))
        report += problems
        body, problems = divide_body(note, kind, page)
        report += problems
        choices, problems = read_choices(body.options, page) if body.options else ((), [])
        report += problems
        typed, answer = "", body.answer
        if kind is Kind.TYPED:
            typed, answer, problems = read_typed(body.answer, page)
            report += problems
        items, problems = read_items(note, answer, page) if kind.asks_items else ((), [])
        report += problems
        occlusion = None
        if kind is Kind.OCCLUSION:
            occlusion, items, problems = read_boxes(items, hides_all=note.attributes.hide != "one")
            report += problems
        read = Note(
            page.place(note.heading),
            kind,
            heading=heading,
            question=self._cut(body.question),
            answer=cut if answer is blocks else self._cut(answer),
            choices=choices,
            typed=typed,
            items=items,
            occlusion=occlusion,
            before=note.attributes.before,
            hint=self._cut(note.sections.get("Hint", ())),
            details=self._cut(note.sections.get("Details", ())),
            sources=self._cut(note.sections.get("Sources", ())),
            tags=self._tags(note),
        )
        return ReadNote(read, deck, note.attributes)

    def _own_note(self, note: NoteBlocks, deck: DeckPart, heading: Text, note_type: NoteType) -> ReadNote:
        """Return the parts of a note with one of the collection's own note types."""
        fields, problems = read_fields(note, note_type, self._cut, self.page)
        self.found.diagnostics += problems
        read = Note(
            self.page.place(note.heading),
            Kind.CLOZE if note_type.is_cloze else Kind.BASIC,
            heading=heading,
            own_type=note_type.key,
            fields=fields,
            tags=self._tags(note),
        )
        return ReadNote(read, deck, note.attributes)

    def _is_sentence(self, note: NoteBlocks, heading: Text) -> bool:
        """Whether a heading is a sentence with deletions, right or wrong, instead of a question."""
        if (
            "{" not in heading.markdown
            or note.attributes.kind not in (None, Kind.CLOZE)
            or "Answer" in note.sections
            or option_lists(note.body)
        ):
            return False
        inspected = self.definitions.inspect(heading, heading=True)
        return bool(inspected.deletions or inspected.deletion_problems)

    def _sentence(self, note: NoteBlocks, deck: DeckPart, heading: Text) -> ReadNote:
        """Return the parts of a cloze whose heading is the first paragraph of its text."""
        read = Note(
            self.page.place(note.heading),
            Kind.CLOZE,
            answer=self._cut(note.body).below(heading),
            hint=self._cut(note.sections.get("Hint", ())),
            details=self._cut(note.sections.get("Details", ())),
            sources=self._cut(note.sections.get("Sources", ())),
            tags=self._tags(note),
        )
        return ReadNote(read, deck, note.attributes)

    def _tags(self, note: NoteBlocks) -> tuple[str, ...]:
        """Return the tag for the chapter that contains a note, if chapters are tags."""
        names = ["-".join(_WORDS.findall(plain_heading(chapter).casefold())) for chapter in note.chapters]
        if self.page.settings.chapters == "tags" and any(names):
            return ("::".join(["chapter", *filter(None, names)]),)
        return ()


_WORDS = re.compile(r"[^\W_]+")


class MarkedSorter(Sorter):
    """Treats headings of any level as questions if they end with a mark or have a card comment below them."""

    def __init__(self, text: Text, mark: str, type_of: TypeOf) -> None:
        super().__init__(text, 0, type_of)
        self.mark = mark
        self.into = []

    def run(self, document: Block) -> SourceBlocks:  # noqa: D102 - as in Sorter
        children = document.children
        for block, following in zip(children, [*children[1:], None], strict=True):
            if block.kind is HEADING:
                self._any_heading(block, following)
            elif self.note is None:
                continue
            elif block.is_comment:
                self._comment(block)
            elif block.kind not in DEFINITIONS:
                self._content(block)
        notes = self.result.decks[0].notes
        self.result.decks[0].notes = [note for note in notes if not note.attributes.skip]
        return self.result

    def _any_heading(self, block: Block, following: Block | None) -> None:
        if self.note is not None and block.level <= self.level:
            self.note, self.into, self.level = None, [], 0
        title = self._cut_mark(block)
        is_marked = title is not None or (
            following is not None
            and following.kind is HTML
            and is_card_comment(following.lines[0].text, bare=True)
        )
        if is_marked:
            self.level = block.level
            self._check_heading(block)
            self._begin_note(block, title or block.lines)
        elif self.note is not None and block.level == self.level + 1:
            self._section(block, block.one_line)
        elif self.note is not None:
            self._content(block)

    def _skipped(self, comment: Block) -> None:
        if self.note is not None and self.note.title is self.note.heading.lines:
            place = self.text.location(comment.start, comment.column)
            length = len(comment.lines[0].text.rstrip())
            message = "only marked headings are cards, so there is nothing to skip"
            self.result.diagnostics.append(warning(place, "unused-skip", message, "delete it", length))

    def _cut_mark(self, block: Block) -> Sequence[Line] | None:
        """Return a heading's text before the mark, or `None` if it does not end with the mark."""
        *above, last = block.lines or [Line("", block.start)]
        text = last.text.rstrip()
        before = text.removesuffix(self.mark)
        if before == text or (before and not before[-1].isspace()):
            return None
        return [*above, last._replace(text=before.rstrip())]
