"""Turns sources into decks and notes with their sections, and reports errors with their locations."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, Severity, error, warning
from ptcards.identity.hashes import summarise
from ptcards.markdown.blocks import scan
from ptcards.notes import Choice, Kind, LeftOutCard, Media, Note, Text
from ptcards.notes.labels import ENGLISH, labelled
from ptcards.source.attributes import Attributes
from ptcards.source.collection import CollectionFacts
from ptcards.source.content import Content, Definitions, Verbatim
from ptcards.source.media import MediaFolder, Reference
from ptcards.source.readers import OWN, WIKI_INLINES
from ptcards.source.readers.guess_dialect import found_elsewhere, read_page
from ptcards.source.readers.obsidian_syntax import rewrite_page
from ptcards.source.sections import HeadingPath, deck_name
from ptcards.source.source import (
    DeckPart,
    DeckText,
    Evidence,
    Ignored,
    MediaUse,
    NoteParts,
    Page,
    ParsedSource,
    Source,
    SourceSettings,
    wrong_dialect,
)

_TEXTS = ("heading", "question", "answer", "hint", "details", "sources")


def parse_source(facts: CollectionFacts, source: Source, media: MediaFolder) -> ParsedSource:
    """Return the notes and decks of one source.

    Notes without an id have no key yet, because a key depends on all notes.
    """
    parser = _SourceParser(facts, source, media)
    parser.run()
    summaries = tuple(map(summarise, parser.notes, parser.id_places))
    uses = tuple(parser.media_uses.values())
    return ParsedSource(
        tuple(parser.notes),
        summaries,
        tuple(parser.decks),
        tuple(parser.diagnostics),
        uses,
        tuple(parser.ignored),
        parser.dialect,
        parser.language,
        tuple(parser.left_out),
        parser.evidence,
        parser.schedules,
    )


class _SourceParser:
    """Reads one source; `notes`, `decks` and `diagnostics` are the result."""

    def __init__(self, facts: CollectionFacts, source: Source, media: MediaFolder) -> None:
        self.facts = facts
        self.source = source
        self.media = media
        self.media_uses: dict[str, MediaUse] = {}
        self.ignored: list[Ignored] = []
        self.notes: list[Note] = []
        self.id_places: list[Location] = []
        self.decks: list[DeckText] = []
        self.diagnostics: list[Diagnostic] = []
        self.defaults = Attributes()
        self.definitions: Definitions
        self.names: dict[DeckPart, str] = {}
        self.dialect = OWN
        self.language = ""
        self.left_out: list[LeftOutCard] = []
        self.deck_tags: frozenset[str] = frozenset()
        self.schedules = (0, 0)
        self.texts: set[object] = set()
        self.ids: set[str] = set()
        self.evidence: tuple[Evidence, ...] = ()
        self.verbatim: list[Verbatim] = []
        self.context: HeadingPath | None = None

    def run(self) -> None:
        """Read the source: first its front matter, then its notes according to its dialect."""
        lines = self.source.text.split("\n")
        whole = list(lines)
        settings = self._read_front_matter(lines) if lines[0].rstrip() == "---" else self.source.settings
        text = Text("\n".join(lines), self.source.path)
        document = scan(text.markdown, keep=False)
        height = (
            next((n for n, line in enumerate(whole) if line == lines[n] and n), 0) if whole != lines else 0
        )
        front = "\n".join(whole[1 : height - 1]) if height else ""
        if settings.dialect == OWN and settings.inlines == WIKI_INLINES:
            text, problems = rewrite_page(text, lines, document)
            self.diagnostics += problems
            lines, document = text.markdown.split("\n"), scan(text.markdown, keep=False)
        page = Page(self.source.name, text, lines, document, settings, self.defaults, front)
        self.definitions = Definitions(page)
        result = read_page(page, self.definitions)
        result.diagnostics[:0] = self.diagnostics
        self.diagnostics = result.diagnostics  # the reader adds diagnostics while its notes are consumed
        self.left_out = result.left_out
        self.evidence = found_elsewhere(page, result)
        for deck in result.decks:
            self.names[deck], problems = deck_name(self.facts, self.source, self.defaults, deck)
            self.diagnostics += problems
            description = self.definitions.added(deck.description).markdown
            self.decks.append(DeckText(self.names[deck], deck.place, description))
        self.deck_tags = result.deck_tags
        self.schedules = result.schedules
        self.dialect = settings.dialect
        self.language = settings.language
        is_own = settings.dialect == OWN
        self.context = HeadingPath(document) if settings.context and not is_own else None
        for parts in result.notes:
            before = len(self.diagnostics)
            self._note(parts if is_own else self._identified_once(parts))
            self.definitions.forget()
            if not is_own:
                self._leave_out(parts, before)
        result.notes = ()  # breaks a cycle; otherwise, the page would wait for the garbage collector
        self.diagnostics += count_verbatim(self.verbatim)
        for block in result.footnotes:
            if f"^{block.label}" not in self.definitions.cited:
                message = f"nothing refers to the footnote `[^{block.label}]`, so it is not shown"
                fix = f"write `[^{block.label}]` where it belongs, or remove it"
                length = len(block.label) + 4
                self.diagnostics.append(warning(page.place(block), "unused-footnote", message, fix, length))

    def _identified_once(self, parts: NoteParts) -> NoteParts:
        """Return parts without their id if a card above already has it; other programs allow copies."""
        name = parts.attributes.id
        if not name or name.casefold() not in self.ids:
            self.ids.add(name.casefold())
            return parts
        message = f"a card above has the id `{name}`, so this card has none"
        fix = "delete the id of the copy"
        self.diagnostics.append(warning(parts.place, "duplicate-id", message, fix))
        return replace(parts, attributes=replace(parts.attributes, id=""))

    def _leave_out(self, parts: NoteParts, before: int) -> None:
        """Withdraw the last note if it has an error or is a duplicate: its source is for another program."""
        note = self.notes[-1]
        text = (note.deck, note.heading.markdown, note.question.markdown, note.answer.markdown, note.choices)
        wrong = next(
            (diagnostic for diagnostic in self.diagnostics[before:] if diagnostic.severity is Severity.ERROR),
            None,
        )
        is_repeated = text in self.texts
        self.texts.add(text)
        if wrong or is_repeated:
            self.notes.pop()
            self.id_places.pop()
            del self.diagnostics[before:]
        if wrong:
            self.left_out.append(LeftOutCard(parts.place, parts.heading.markdown, wrong.rule))

    def _read_front_matter(self, lines: list[str]) -> SourceSettings:
        """Read the source's defaults, and blank out their lines; return how to read the source."""
        # It imports YAML, which few sources need.
        from ptcards.source.frontmatter import read_front_matter  # noqa: PLC0415

        settings = self.source.settings
        self.defaults, height, diagnostics = read_front_matter(
            self.source.path,
            lines,
            typed=bool(settings.note_types or settings.broken_types),
            foreign=settings.dialect != OWN,
        )
        written = self.defaults.dialect
        if written:
            if problem := wrong_dialect(written):
                diagnostics.append(error(self.defaults.places["dialect"], *problem, len(written)))
            else:
                settings = settings.with_dialect(written)
        if problem := settings.unknown_type(self.defaults.type):
            diagnostics.append(error(self.defaults.places["type"], *problem, len(self.defaults.type)))
        if settings.dialect != OWN:  # it was written for another program
            diagnostics = [
                diagnostic
                for diagnostic in diagnostics
                if diagnostic.rule in ("unknown-dialect", "dialect-option")
            ]
        self.diagnostics += diagnostics
        lines[:height] = [""] * height
        level = self.defaults.question_level or settings.question_level
        return replace(
            settings,
            question_level=level,
            language=self.defaults.language or settings.language,
            type=self.defaults.type or settings.type,
        )

    def _note(self, parts: NoteParts) -> None:
        kind = parts.kind
        added = self.definitions.added
        if parts.own_type:
            self._keep(parts, **self._own_fields(parts))
            return
        choices = tuple(
            replace(choice, text=added(choice.text), comment=added(choice.comment))
            for choice in parts.choices
        )
        texts = {name: added(getattr(parts, name)) for name in _TEXTS}
        contents = self._contents(texts, choices)
        chosen = parts.certain or parts.attributes.kind is not None
        self.diagnostics += check_deletions(kind, parts.place, contents, chosen=chosen)
        self.diagnostics += refuse_verbatim(contents.values())
        if not (texts["answer"] or parts.typed or choices) and kind not in (Kind.CHOICE, Kind.CLOZE):
            fix = "write the answer below the heading, or remove the heading"
            self.diagnostics.append(error(parts.place, "no-answer", "this question has no answer", fix, 2))
        labels = labelled(self.facts.language)
        self._keep(
            parts,
            choices=choices,
            typed=unicodedata.normalize("NFC", parts.typed),
            media=self._media(reference for content in contents.values() for reference in content.references),
            code_deletions=parts.attributes.kind is Kind.CLOZE and bool(contents["answer"].code_deletions),
            labels=labels if choices and labels != ENGLISH else "",
            **texts,
        )

    def _own_fields(self, parts: NoteParts) -> dict[str, Any]:
        """Return the additional values of a note with one of the collection's own note types."""
        heading = self.definitions.added(parts.heading)
        fields = tuple((name, self.definitions.added(text)) for name, text in parts.fields)
        texts = {name: text for name, text in fields if text}
        if not fields[0][1]:  # otherwise, no card shows the heading
            texts["heading"] = heading
        contents = list(self._contents(texts, ()).values())
        self.verbatim += (fence for content in contents for fence in content.verbatim)
        references = [reference for content in contents for reference in content.references]
        references += verbatim_references(contents, self.source.name)
        media = self._media(references, under_own_name)
        nothing = dict.fromkeys(_TEXTS, Text()) | {"choices": (), "typed": ""}
        own = {"own_type": parts.own_type, "fields": fields, "media": media}
        return nothing | {"heading": heading} | own

    def _keep(self, parts: NoteParts, **texts: Any) -> None:
        """Keep a note; `texts` are the values that depend on its kind."""
        attributes = parts.attributes
        self.id_places.append(attributes.places.get("id", parts.place))
        number, names = len(self.notes), zip(attributes.ignore, attributes.ignored, strict=True)
        self.ignored += [Ignored(number, rule, place) for rule, place in names]
        difficulty = attributes.difficulty or self.defaults.difficulty
        of_deck = self.facts.language
        self.notes.append(
            Note(
                location=parts.place,
                deck=self.names[parts.deck],
                kind=parts.kind,
                id=attributes.id,
                key=attributes.id,
                difficulty=difficulty,
                tags=self._tags((*attributes.tags, *parts.tags), difficulty),
                ignore=attributes.ignore,
                context=self.context.of(parts.place.line) if self.context else "",
                language=self.language if self.language != of_deck else "",
                **texts,
            )
        )

    def _contents(self, parts: Mapping[str, Text], choices: Sequence[Choice]) -> dict[str, Content]:
        """Inspect all texts of a note, and report what would not render."""
        inspect = self.definitions.inspect
        contents = {name: inspect(part, heading=name == "heading") for name, part in parts.items()}
        for number, choice in enumerate(choices):
            contents[f"option {number}"] = inspect(choice.text)
            contents[f"comment {number}"] = inspect(choice.comment)
        self.diagnostics += (d for content in contents.values() for d in content.diagnostics)
        return contents

    def _media(
        self, references: Iterable[Reference], named: Callable[[Media], Media] = lambda each: each
    ) -> tuple[Media, ...]:
        found: dict[str, Media] = {}
        for reference in references:
            media, problems = self.media.find(self.source.file, reference)
            self.diagnostics += problems
            if media is not None:
                file = named(media)
                found[file.written] = file
                use = MediaUse(file.name, file.digest, str(file.file), reference.location, reference.length)
                self.media_uses.setdefault(use.file, use)
        return tuple(found[written] for written in sorted(found))

    def _tags(self, own: Iterable[str], difficulty: str) -> tuple[str, ...]:
        of_file = (tag for tag in self.defaults.tags if tag not in self.deck_tags)
        tags = [*self.facts.tags, *of_file, *own]
        tags += [f"difficulty::{difficulty}"] if difficulty else []
        # Anki keeps one spelling of tags that differ only in case (docs/anki.md, Tags); we keep the first.
        kept: dict[str, str] = {}
        for tag in tags:
            kept.setdefault(tag.casefold(), tag)
        return tuple(kept[tag] for tag in sorted(kept))


def under_own_name(media: Media) -> Media:
    """Return a media file under its own name, because names in imported decks must not change."""
    return Media(media.written, media.file, media.digest, media.file.name)


def verbatim_references(contents: Iterable[Content], name: str) -> Iterator[Reference]:
    """Yield references to the files in `media` that HTML fences show; `name` is the name of the source."""
    above = "../" * name.count("/")
    for content in contents:
        for fence in content.verbatim:
            for file in fence.files:
                yield Reference(f"{above}media/{file}", fence.location, fence.length, optional=True)


def refuse_verbatim(contents: Iterable[Content]) -> Iterator[Diagnostic]:
    """Yield an error for each HTML fence in a note with one of ptcards' note types."""
    for content in contents:
        for fence in content.verbatim:
            message = "an HTML fence needs a note type of your own"
            fix = "write it as Markdown, or give the note a note type of your own"
            yield error(fence.location, "verbatim-html", message, fix, fence.length)


def count_verbatim(fences: Sequence[Verbatim]) -> Iterator[Diagnostic]:
    """Yield one warning for all HTML fences in a source."""
    if fences:
        active = sum(fence.is_active for fence in fences)
        what = "1 HTML fence is" if len(fences) == 1 else f"{len(fences)} HTML fences are"
        scripts = f", {active} with scripts" if active else ""
        message = f"{what} passed on unchecked{scripts}"
        fix = "write them as Markdown where you can"
        yield warning(_first(fences), "verbatim-html", message, fix, fences[0].length)


def _first(fences: Sequence[Verbatim]) -> Location:
    return min(fence.location for fence in fences)


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
