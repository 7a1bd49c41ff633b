"""Sources to notes: decks, notes and their sections, each mistake with its place."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.identity.hashes import Gist, gist
from ptcards.markdown.blocks import Block, BlockKind, scan
from ptcards.notes import Choice, Deck, Kind, Line, Media, Note, Text
from ptcards.source.assembly import (
    DeckText,
    Ignored,
    MediaUse,
    check_decks,
    check_media_names,
    check_twins,
    describe,
    find_keys,
)
from ptcards.source.attributes import Attributes
from ptcards.source.collection import Collection, Source
from ptcards.source.content import NOTHING, Content, inspect
from ptcards.source.decks import deck_name, decks_in_answers
from ptcards.source.kinds import check_deletions, decide_kind, divide_body, read_choices, read_typed
from ptcards.source.media import MediaFolder
from ptcards.source.sections import NoteBlocks, SourceBlocks, cut_blocks, sort_blocks


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """What one source holds; `gists` are those of its notes.

    It depends on the source, the collection's settings, whether the source is its only one, and the media.
    """

    notes: tuple[Note, ...]
    gists: tuple[Gist, ...]
    decks: tuple[DeckText, ...]
    diagnostics: tuple[Diagnostic, ...]
    media: tuple[MediaUse, ...] = ()
    ignored: tuple[Ignored, ...] = ()


def parse(collection: Collection) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
    """Read all notes and decks of a collection, notes in the order of the sources."""
    media = MediaFolder(collection.root)
    return assemble(collection, [parse_source(collection, source, media) for source in collection.sources])


def parse_source(collection: Collection, source: Source, media: MediaFolder) -> ParsedSource:
    """Read the notes and decks of one source.

    Notes without an id have no key yet, which rests on all of them.
    """
    parser = _SourceParser(collection, source, media)
    parser.run()
    gists = tuple(map(gist, parser.notes, parser.id_places))
    uses = tuple(parser.media_uses.values())
    decks, found, ignored = tuple(parser.decks), tuple(parser.diagnostics), tuple(parser.ignored)
    return ParsedSource(tuple(parser.notes), gists, decks, found, uses, ignored)


def assemble(
    collection: Collection, sources: Sequence[ParsedSource]
) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
    """Put what the sources of a collection hold together, and say what does not go together."""
    notes = [note for source in sources for note in source.notes]
    gists = [gist for source in sources for gist in source.gists]
    decks = [deck for source in sources for deck in source.decks]
    diagnostics = [each for source in sources for each in source.diagnostics]
    uses = [use for source in sources for use in source.media]
    diagnostics += [*check_decks(decks), *check_twins(gists), *check_media_names(uses)]
    keyed = (
        note if note.key == key else replace(note, key=key)
        for note, key in zip(notes, find_keys(gists), strict=True)
    )
    return tuple(keyed), describe(collection.config if collection.configured else None, decks), diagnostics


class _SourceParser:
    """One source being read; `notes`, `decks` and `diagnostics` are the outcome."""

    def __init__(self, collection: Collection, source: Source, media: MediaFolder) -> None:
        self.collection = collection
        self.source = source
        self.media = media
        self.media_uses: dict[str, MediaUse] = {}
        self.ignored: list[Ignored] = []
        self.lines = source.text.split("\n")
        self.notes: list[Note] = []
        self.id_places: list[Location] = []
        self.decks: list[DeckText] = []
        self.diagnostics: list[Diagnostic] = []
        self.text = Text()
        self.blocks = SourceBlocks()
        self.defaults = Attributes()
        self.cited: set[str] = set()
        self.inspected: dict[tuple[Text, bool], Content] = {}
        """What was found in the texts of the note that is being read: some are asked about twice."""

    def run(self) -> None:
        if self.lines[0].rstrip() == "---":
            self._read_front_matter()
        self.text = Text("\n".join(self.lines), self.source.path)
        document = scan(self.text.markdown, keep=False)
        self.blocks = sort_blocks(document, self.text)
        self.diagnostics += self.blocks.diagnostics
        self.diagnostics += decks_in_answers(self.blocks.decks, self.text, self.lines)
        single = sum(deck.heading is not None for deck in self.blocks.decks) == 1
        for deck in self.blocks.decks:
            if deck.heading is None and not deck.notes:
                continue
            place = self._place(deck.heading) if deck.heading else Location(self.source.path, 1)
            name, found = deck_name(self.collection, self.source, self.defaults, deck, place, single=single)
            self.diagnostics += found
            self.decks.append(DeckText(name, place, self._cut(deck.description).markdown))
            for note in deck.notes:
                self._note(note, name)
        for block in document.children:
            if block.kind is BlockKind.FOOTNOTE and f"^{block.label}" not in self.cited:
                message = f"nothing refers to the footnote `[^{block.label}]`, so it is not shown"
                fix = f"write `[^{block.label}]` where it belongs, or delete it"
                length = len(block.label) + 4
                self.diagnostics.append(warning(self._place(block), "unused-footnote", message, fix, length))

    def _read_front_matter(self) -> None:
        """Read the defaults of the file, and blank out the lines that they stand on."""
        from ptcards.source.frontmatter import read_front_matter  # noqa: PLC0415 - YAML, which few sources have

        self.defaults, height, found = read_front_matter(self.source.path, self.lines)
        self.diagnostics += found
        self.lines[:height] = [""] * height

    def _place(self, block: Block) -> Location:
        return self.text.location(block.start, block.column)

    def _error(self, block: Block, rule: str, message: str, fix: str, length: int = 2) -> None:
        self.diagnostics.append(error(self._place(block), rule, message, fix, length))

    def _cut(self, blocks: Iterable[Block]) -> Text:
        """Make a text of blocks, with the definitions that it uses and does not hold itself."""
        text = cut_blocks(self.text, self.lines, list(blocks))
        return self._with_definitions(text)

    def _with_definitions(self, text: Text) -> Text:
        if not text or not self.blocks.definitions or "[" not in text.markdown:
            return text
        needed: dict[str, Block] = {}
        labels = list(self._inspect(text).labels)
        while labels:
            label = labels.pop()
            block = self.blocks.definitions.get(label)
            if block is not None and label not in needed:
                needed[label] = block
                if block.kind is BlockKind.FOOTNOTE:
                    labels += inspect(cut_blocks(self.text, self.lines, list(block.children))).labels
        self.cited |= needed.keys()
        if not needed:
            return text
        below: list[Line] = []
        for block in sorted(needed.values(), key=lambda block: block.start):
            below += [Line("", block.start - 1 if block.start else 0)]
            below += [Line(self.lines[index], index) for index in range(block.start, block.end)]
        tail = self.text.cut(below)
        height = text.markdown.count("\n") + 1
        runs = tuple(run._replace(index=run.index + height) for run in tail.runs)
        return Text(f"{text.markdown}\n{tail.markdown}", text.path, text.runs + runs)

    def _inspect(self, text: Text, *, heading: bool = False) -> Content:
        if not text:
            return NOTHING
        key = text, heading
        found = self.inspected.get(key)
        if found is None:
            found = self.inspected[key] = inspect(text, heading=heading)
        return found

    def _heading_text(self, note: NoteBlocks) -> Text:
        return self._with_definitions(self.text.cut(note.heading.lines))

    def _note(self, note: NoteBlocks, deck: str) -> None:
        self.inspected.clear()
        answer_blocks = note.sections.get("Answer", note.body)
        answer_text = self._cut(answer_blocks)
        found = self._inspect(answer_text)
        kind, problems = decide_kind(note, self.text, bool(found.deletions or found.deletion_problems))
        self.diagnostics += problems
        body, problems = divide_body(note, kind, self.text)
        self.diagnostics += problems
        choices = self._choices(body.options)
        typed, answer, problems = (
            read_typed(body.answer, self.text) if kind is Kind.TYPED else ("", body.answer, [])
        )
        self.diagnostics += problems
        parts = {
            "heading": self._heading_text(note),
            "question": self._cut(body.question),
            "answer": answer_text if answer is answer_blocks else self._cut(answer),
            **{
                name: self._cut(note.sections.get(name.capitalize(), ()))
                for name in ("hint", "details", "sources")
            },
        }
        contents = self._contents(parts, choices)
        self.diagnostics += check_deletions(
            kind, note, self.text, contents, chosen=note.attributes.kind is not None
        )
        if not (parts["answer"] or typed or choices) and kind not in (Kind.CHOICE, Kind.CLOZE):
            self._error(
                note.heading,
                "no-answer",
                "no answer follows this question",
                "write it below, or delete the heading",
            )
        media = self._media(contents.values())
        self.id_places.append(note.attributes.places.get("id", self._place(note.heading)))
        number, names = len(self.notes), zip(note.attributes.ignore, note.attributes.ignored, strict=True)
        self.ignored += [Ignored(number, rule, place) for rule, place in names]
        difficulty = note.attributes.difficulty or self.defaults.difficulty
        self.notes.append(
            Note(
                location=self._place(note.heading),
                deck=deck,
                kind=kind,
                id=note.attributes.id,
                key=note.attributes.id,
                choices=choices,
                typed=unicodedata.normalize("NFC", typed),
                difficulty=difficulty,
                tags=self._tags(note.attributes, difficulty),
                ignore=note.attributes.ignore,
                media=media,
                code_deletions=note.attributes.kind is Kind.CLOZE and bool(contents["answer"].code_deletions),
                **parts,
            )
        )

    def _choices(self, options: Block | None) -> tuple[Choice, ...]:
        if options is None:
            return ()
        choices, problems = read_choices(options, self.text, self.lines)
        self.diagnostics += problems
        return tuple(
            replace(
                choice,
                text=self._with_definitions(choice.text),
                comment=self._with_definitions(choice.comment),
            )
            for choice in choices
        )

    def _contents(self, parts: Mapping[str, Text], choices: Sequence[Choice]) -> dict[str, Content]:
        """Look into all texts of a note, and report what would not come out."""
        contents = {name: self._inspect(part, heading=name == "heading") for name, part in parts.items()}
        for number, choice in enumerate(choices):
            contents[f"option {number}"] = self._inspect(choice.text)
            contents[f"comment {number}"] = self._inspect(choice.comment)
        self.diagnostics += (d for content in contents.values() for d in content.diagnostics)
        return contents

    def _media(self, contents: Iterable[Content]) -> tuple[Media, ...]:
        found: dict[str, Media] = {}
        for content in contents:
            for reference in content.references:
                file, problems = self.media.find(self.source.file, reference)
                self.diagnostics += problems
                if file is not None:
                    found[file.written] = file
                    use = MediaUse(
                        file.name, file.digest, str(file.file), reference.location, reference.length
                    )
                    self.media_uses.setdefault(use.file, use)
        return tuple(found[written] for written in sorted(found))

    def _tags(self, attributes: Attributes, difficulty: str) -> tuple[str, ...]:
        tags = [*self.collection.config.tags, *self.defaults.tags, *attributes.tags]
        tags += [f"difficulty::{difficulty}"] if difficulty else []
        # Anki keeps one spelling of tags that differ only in case (docs/anki.md, Tags): so do we, the first
        # one.
        kept: dict[str, str] = {}
        for tag in tags:
            kept.setdefault(tag.casefold(), tag)
        return tuple(kept[tag] for tag in sorted(kept))
