"""Reads our own format: a heading is a question, and its answer follows."""

import re
from collections.abc import Iterator, Sequence
from itertools import starmap

from ptcards.diagnostics import Location, error, warning
from ptcards.files.names import in_words
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.notes import Kind, Line, Text
from ptcards.notes.notetypes import NoteType
from ptcards.source.attributes import is_card_comment, is_skip
from ptcards.source.decks import decks_in_answers, plain_heading
from ptcards.source.definitions import Definitions
from ptcards.source.fields import read_fields
from ptcards.source.kinds import decide_kind, divide_body, option_lists, read_choices, read_typed
from ptcards.source.parts import DeckPart, Found, Page, Parts, cut_blocks
from ptcards.source.sections import DeckBlocks, NoteBlocks, Sorter, SourceBlocks, TypeOf


def read(page: Page, definitions: Definitions) -> Found:
    """Return the parts of the notes below a source's headings."""
    first = next((line for line in page.lines if line.strip()), "")
    if is_skip(first):
        return Found(is_skipped=True)
    return _Reader(page, definitions).read()


class _Reader:
    def __init__(self, page: Page, definitions: Definitions) -> None:
        self.page = page
        self.definitions = definitions
        self.found = Found()

    def read(self) -> Found:
        page, found, reading = self.page, self.found, self.page.reading
        mark = reading.mark if reading.cards == "marked" else ""
        text, type_of = page.text, reading.type_of
        sorter = MarkedSorter(text, mark, type_of) if mark else Sorter(text, reading.question_level, type_of)
        parsed = sorter.run(page.document)
        found.diagnostics += [*self.definitions.repeats(), *parsed.diagnostics]
        if not mark:
            found.diagnostics += decks_in_answers(parsed.decks, page.text, page.lines)
        decks = [each for each in parsed.decks if each.heading is not None or each.notes]
        single = sum(each.heading is not None for each in decks) == 1
        notes = [each for deck in decks for each in self._deck(deck, single=single)]
        # Lazy, because the contents of a note's texts are only kept until the next note.
        found.notes = starmap(self._note, notes)
        children = page.document.children
        found.footnotes = [] if mark else [each for each in children if each.kind is BlockKind.FOOTNOTE]
        return found

    def _deck(self, deck: DeckBlocks, *, single: bool) -> Iterator[tuple[NoteBlocks, DeckPart]]:
        """Keep a deck and the decks of its chapters, and yield each of its notes with the note's deck."""
        page = self.page
        name = page.name.rpartition("/")[2].rpartition(".")[0]
        title = plain_heading(deck.heading) if deck.heading else in_words(name)
        # A README describes its folder, so it does not add a level.
        levels = () if deck.heading is None and name.lower() == "readme" else (title,)
        place = page.place(deck.heading) if deck.heading else Location(page.text.path, 1)
        part = DeckPart(levels, place, self._cut(deck.description), alone=single or deck.heading is None)
        self.found.decks.append(part)
        chapters: dict[tuple[str, ...], DeckPart] = {(): part}
        for note in deck.notes:
            names = tuple(map(plain_heading, note.chapters)) if page.reading.chapters == "decks" else ()
            if names not in chapters:
                chapters[names] = DeckPart((*levels, *names), page.place(note.chapters[-1]))
                self.found.decks.append(chapters[names])
            yield note, chapters[names]

    def _cut(self, blocks: Sequence[Block]) -> Text:
        return cut_blocks(self.page, blocks)

    def _note(self, note: NoteBlocks, deck: DeckPart) -> Parts:
        page, text, report = self.page, self.page.text, self.found.diagnostics
        heading = text.cut(note.title)
        if problem := page.reading.unknown_type(note.attributes.type):
            place, length = note.attributes.places["type"], len(note.attributes.type)
            report.append(error(place, *problem, length))
        if note_type := page.reading.type_of(note.attributes):
            return self._own_note(note, deck, heading, note_type)
        if self._is_sentence(note, heading):
            return self._sentence(note, deck, heading)
        blocks = note.sections.get("Answer", note.body)
        cut = self._cut(blocks)
        inspected = self.definitions.inspect(self.definitions.added(cut))
        kind, problems = decide_kind(note, text, bool(inspected.deletions or inspected.deletion_problems))
        report += problems
        body, problems = divide_body(note, kind, text)
        report += problems
        choices, problems = read_choices(body.options, text, page.lines) if body.options else ((), [])
        report += problems
        typed, answer, problems = (
            read_typed(body.answer, text) if kind is Kind.TYPED else ("", body.answer, [])
        )
        report += problems
        return Parts(
            place=page.place(note.heading),
            deck=deck,
            kind=kind,
            heading=heading,
            question=self._cut(body.question),
            answer=cut if answer is blocks else self._cut(answer),
            choices=choices,
            typed=typed,
            hint=self._cut(note.sections.get("Hint", ())),
            details=self._cut(note.sections.get("Details", ())),
            sources=self._cut(note.sections.get("Sources", ())),
            attributes=note.attributes,
            tags=tuple(self._tags(note)),
        )

    def _own_note(self, note: NoteBlocks, deck: DeckPart, heading: Text, note_type: NoteType) -> Parts:
        """Return the parts of a note with one of the collection's own note types."""
        fields, problems = read_fields(note, note_type, self._cut, self.page.text)
        self.found.diagnostics += problems
        return Parts(
            place=self.page.place(note.heading),
            deck=deck,
            kind=Kind.CLOZE if note_type.is_cloze else Kind.BASIC,
            heading=heading,
            own_type=note_type.key,
            fields=fields,
            attributes=note.attributes,
            tags=tuple(self._tags(note)),
        )

    def _is_sentence(self, note: NoteBlocks, heading: Text) -> bool:
        """Whether a heading is a sentence with deletions instead of a question."""
        return (
            "{{c" in heading.markdown
            and note.attributes.kind in (None, Kind.CLOZE)
            and "Answer" not in note.sections
            and not option_lists(note.body)
            and bool(self.definitions.inspect(heading, heading=True).deletions)
        )

    def _sentence(self, note: NoteBlocks, deck: DeckPart, heading: Text) -> Parts:
        """Return the parts of a cloze whose heading is the first paragraph of its text."""
        return Parts(
            place=self.page.place(note.heading),
            deck=deck,
            kind=Kind.CLOZE,
            answer=self._cut(note.body).below(heading),
            hint=self._cut(note.sections.get("Hint", ())),
            details=self._cut(note.sections.get("Details", ())),
            sources=self._cut(note.sections.get("Sources", ())),
            attributes=note.attributes,
            tags=tuple(self._tags(note)),
        )

    def _tags(self, note: NoteBlocks) -> Iterator[str]:
        """Yield the tag for the chapter that contains a note."""
        names = ["-".join(_WORDS.findall(plain_heading(each).casefold())) for each in note.chapters]
        if self.page.reading.chapters == "tags" and any(names):
            yield "::".join(["chapter", *filter(None, names)])


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
            if block.kind is BlockKind.HEADING:
                self._any_heading(block, following)
            elif self.note is None:
                continue
            elif block.is_comment:
                self._comment(block)
            elif block.kind not in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
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
            and following.kind is BlockKind.HTML
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
