"""Turns sources into decks and notes with their sections, and reports errors with their locations."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import unquote

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, error, errors_in, warning
from ptcards.extensions import modules
from ptcards.identity.hashes import summarise
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import Block
from ptcards.notes import TEXTS, Choice, Kind, LeftOutCard, Macro, Note, Text
from ptcards.notes.labels import ENGLISH, labelled
from ptcards.notes.rendered import Media
from ptcards.readers.boxes import with_picture
from ptcards.source.attributes import Attributes
from ptcards.source.code_blocks import code_errors
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.content import MAX_FIELD_BYTES, NOTHING, Content, Definitions, Verbatim
from ptcards.source.dialects import GITHUB_INLINES, OWN, all_dialects, wrong_in_a_word
from ptcards.source.macros import with_macros
from ptcards.source.media import MediaFolder, Reference
from ptcards.source.page import DeckPart, Page, ReaderResult, ReadNote
from ptcards.source.sections import HeadingPath, deck_name
from ptcards.source.source import (
    AnchorLink,
    DeckText,
    Ignored,
    MediaUse,
    ParsedSource,
    Source,
    SourceSettings,
)


def parse_source(facts: CollectionFacts, source: Source, media: MediaFolder) -> ParsedSource:
    """Return the notes and decks of one source.

    Notes without an id have no key yet, because a key depends on all notes.
    """
    page, problems = as_page(source)
    definitions = Definitions(page)
    result = _read(page, definitions)
    diagnostics = result.diagnostics  # the reader adds to it while its notes are consumed
    diagnostics[:0] = problems
    guesses = modules("guess_dialect")
    evidence = tuple(each for guess in guesses for each in guess.found_elsewhere(page, result))
    names: dict[DeckPart, str] = {}
    decks = []
    for deck in result.decks:
        names[deck], problems = deck_name(facts, source, page.defaults, deck)
        diagnostics += problems
        decks.append(DeckText(names[deck], deck.place, definitions.added(deck.description).markdown))
    is_own = page.settings.dialect == OWN
    context = HeadingPath(page.document) if page.settings.context and not is_own else None
    finisher = _Finisher(facts, source, media, page, definitions, names, result.deck_tags, context)
    finished = (
        _finish_all(result, finisher, skip_broken=source.settings.skip_broken)
        if is_own
        else _finish_foreign(result, finisher)
    )
    result.notes = ()  # breaks a cycle; otherwise, the page would wait for the garbage collector
    diagnostics += count_verbatim(finisher.verbatim)
    diagnostics += _unused_footnotes(page, result.footnotes, definitions)
    for guess in guesses:
        if not evidence:
            diagnostics += guess.unread_marks(page, [*_card_lines(finished, result.left_out)])
        diagnostics += guess.questions_below(page, [each.note for each in finished])
    published = [each for each in finished if not each.draft]
    drafts = [each for each in finished if each.draft]
    return ParsedSource(
        notes=tuple(each.note for each in published),
        summaries=tuple(summarise(each.note, each.id_place) for each in published),
        decks=tuple(decks),
        diagnostics=tuple(diagnostics),
        media=tuple(finisher.media_uses.values()),
        ignored=tuple(
            Ignored(at, *each) for at, one in enumerate((*published, *drafts)) for each in one.ignored
        ),
        dialect=page.settings.dialect,
        language=page.settings.language,
        left_out=tuple(result.left_out),
        evidence=evidence,
        schedules=result.schedules,
        draft_notes=tuple(each.note for each in drafts),
        draft_summaries=tuple(summarise(each.note, each.id_place) for each in drafts),
        anchor_links=tuple(_anchor_links(page, diagnostics)),
    )


def parse_lines(collection: Collection, source: Source, lines: Iterable[tuple[str, str]]) -> ParsedSource:
    """Return the notes and decks that a source would have with other lines, each with its line end."""
    changed = source._replace(text="\n".join(line for line, _ in lines))
    return parse_source(CollectionFacts.of(collection), changed, MediaFolder(collection.root))


def _read(page: Page, definitions: Definitions) -> ReaderResult:
    """Return the parts of a source's notes according to its dialect, none if there is no such dialect."""
    name = page.settings.dialect
    if name != OWN and name not in all_dialects():
        return ReaderResult()
    # Each reader is only imported when a source needs it.
    reader = "ptcards.readers.headings" if name == OWN else all_dialects()[name].reader
    result: ReaderResult = import_module(reader).read(page, definitions)
    return result


_ANCHOR = re.compile(r"\]\(\s*<?(?P<file>[^()<>#\s]*)#(?P<anchor>[^()<>\s]+)>?[^()]*\)\Z")


def _anchor_links(page: Page, diagnostics: Iterable[Diagnostic]) -> Iterator[AnchorLink]:
    """Yield the links to headings, all of which have been reported as relative."""
    for each in diagnostics:
        if Trait.RELATIVE in each.traits and each.location.column:
            start = each.location.column - 1
            text = page.lines[each.location.line - 1][start : start + each.length]
            if found := _ANCHOR.search(text):
                yield AnchorLink(unquote(found["file"]), unquote(found["anchor"]), each.location, each.length)


def _card_lines(finished: "Iterable[_Finished]", left_out: Iterable[LeftOutCard]) -> Iterator[int]:
    """Yield the lines where the cards of a source begin."""
    yield from (each.note.location.line for each in finished)
    yield from (card.place.line for card in left_out)


class _Finished(NamedTuple):
    """A note with everything that its source adds, and the problems found while adding it.

    `ignored` are the rules that it ignores, with their locations. No output contains a `draft`.
    """

    note: Note
    id_place: Location
    ignored: tuple[tuple[str, Location], ...]
    diagnostics: list[Diagnostic]
    draft: bool


def _finish_all(result: ReaderResult, finisher: "_Finisher", *, skip_broken: bool) -> list[_Finished]:
    """Return the notes of a source of ours, and report their problems.

    The errors of a draft are warnings. With `skip_broken`, a note with an error is left out, like a draft.
    Errors after which the parser misreads the rest of the source stay errors.
    """
    finished = []
    start = len(result.diagnostics)
    for read in result.notes:  # the reader adds its problems with a note
        one = finisher.finish(read)
        found = [*result.diagnostics[start:], *one.diagnostics]
        wrong = errors_in(found)
        if skip_broken and not one.draft:
            wrong += code_errors(one.note)
        if wrong and not any(Trait.MISLEADING in each.traits for each in wrong):
            if one.draft:
                found = [
                    replace(each, severity=Severity.WARNING) if each in wrong else each for each in found
                ]
            elif skip_broken:
                heading = one.note.heading.markdown
                result.left_out.append(LeftOutCard(one.note.location, heading, wrong[0].rule))
                one, found = one._replace(draft=True), []
        finished.append(one)
        result.diagnostics[start:] = found
        start = len(result.diagnostics)
    return finished


def _finish_foreign(result: ReaderResult, finisher: "_Finisher") -> list[_Finished]:
    """Return the notes of a source for another program, except those with an error and duplicates."""
    finished: list[_Finished] = []
    texts: set[object] = set()
    ids: set[str] = set()
    for read in result.notes:
        only, problems = _identified_once(read, ids)
        one = finisher.finish(only)
        note = one.note
        text = (note.deck, note.heading.markdown, note.question.markdown, note.answer.markdown, note.choices)
        if wrong := next(iter(errors_in(one.diagnostics)), None):
            result.left_out.append(LeftOutCard(note.location, read.note.heading.markdown, wrong.rule))
        elif text not in texts:
            finished.append(one)
            result.diagnostics += [*problems, *one.diagnostics]
        else:
            why = "the same card is above", "delete one of them"
            result.left_out.append(LeftOutCard(note.location, note.heading.markdown, *why, doubtful=True))
        texts.add(text)
    return finished


def _identified_once(read: ReadNote, ids: set[str]) -> tuple[ReadNote, list[Diagnostic]]:
    """Return a note without its id if that is in `ids`; otherwise, add its id to them.

    Other programs allow copies of a card, of which only the first keeps the id.
    """
    name = read.attributes.id
    if not name or name.casefold() not in ids:
        ids.add(name.casefold())
        return read, []
    message = f"a card above has the id `{name}`, so this card has none"
    problem = warning(read.note.location, "duplicate-id", message, "delete the id of the copy")
    return read._replace(attributes=read.attributes._replace(id="")), [problem]


def _unused_footnotes(
    page: Page, footnotes: Iterable[Block], definitions: Definitions
) -> Iterator[Diagnostic]:
    for block in footnotes:
        if f"^{block.label}" not in definitions.cited:
            message = f"nothing refers to the footnote `[^{block.label}]`, so it is not shown"
            fix = f"write `[^{block.label}]` where it belongs, or remove it"
            yield warning(page.place(block), "unused-footnote", message, fix, len(block.label) + 4)


def as_page(source: Source) -> tuple[Page, list[Diagnostic]]:
    """Return a source as passed to readers, without its front matter, and diagnostics."""
    lines = source.text.split("\n")
    settings, defaults, height = source.settings, Attributes(), 0
    diagnostics: list[Diagnostic] = []
    if lines[0].rstrip() == "---":
        settings, defaults, height, diagnostics = _read_front_matter(source, lines)
    front = "\n".join(lines[1 : height - 1]) if height else ""
    lines[:height] = [""] * height
    text = Text("\n".join(lines), source.path)
    document = scan(text.markdown, keep=False)
    if settings.dialect == OWN and settings.inlines != GITHUB_INLINES:
        inlines = import_module(all_dialects()[settings.inlines].inlines)
        text, problems = inlines.rewrite_page(text, lines, document)
        diagnostics += problems
        lines, document = text.markdown.split("\n"), scan(text.markdown, keep=False)
    return Page(source.name, text, lines, document, settings, defaults, front), diagnostics


def _read_front_matter(
    source: Source, lines: list[str]
) -> tuple[SourceSettings, Attributes, int, list[Diagnostic]]:
    """Return how to read a source, its defaults, the height of its front matter, and diagnostics."""
    # It imports YAML, which few sources need.
    from ptcards.source.frontmatter import read_front_matter  # noqa: PLC0415

    settings = source.settings
    defaults, height, diagnostics = read_front_matter(
        source.path,
        lines,
        typed=bool(settings.note_types or settings.broken_types),
        foreign=settings.dialect != OWN,
    )
    wrong, written = [], defaults.dialect
    if written:
        if problem := wrong_in_a_word(written):
            wrong = [error(defaults.places["dialect"], *problem, len(written))]
        else:
            settings = settings.with_dialect(written)
    if problem := settings.unknown_type(defaults.type):
        diagnostics.append(error(defaults.places["type"], *problem, len(defaults.type)))
    # Other settings were written for another program if the notes were.
    diagnostics = wrong + (diagnostics if settings.dialect == OWN else [])
    settings = replace(
        settings,
        question_level=defaults.question_level or settings.question_level,
        language=defaults.language or settings.language,
        type=defaults.type or settings.type,
    )
    return settings, defaults, height, diagnostics


def _own_id(written: str, language: str) -> str:
    """Return the id of a note; that of a translation ends with its `language`, as in `view.de`."""
    is_short = written and language and not written.endswith(f".{language}")
    return f"{written}.{language}" if is_short else written


@dataclass(slots=True)
class _Finisher:
    """Adds to notes what belongs to their source: definitions, defaults and media.

    `names` are the names of the decks, and tags in `deck_tags` are not for notes. `media_uses` and `verbatim`
    collect the files and HTML fences of all notes.
    """

    facts: CollectionFacts
    source: Source
    media: MediaFolder
    page: Page
    definitions: Definitions
    names: Mapping[DeckPart, str]
    deck_tags: frozenset[str]
    context: HeadingPath | None
    media_uses: dict[str, MediaUse] = field(default_factory=dict)
    verbatim: list[Verbatim] = field(default_factory=list)
    macros: Mapping[str, Macro] = field(init=False)

    def __post_init__(self) -> None:
        self.macros = {macro.name: macro for macro in self.page.settings.macros}

    def finish(self, read: ReadNote) -> _Finished:
        """Return a note with everything that its source adds."""
        note, attributes, place = read.note, read.attributes, read.note.location
        values, diagnostics = self._own_values(note) if note.own_type else self._values(read)
        difficulty = attributes.difficulty or self.page.defaults.difficulty
        language = attributes.language or self.page.settings.language
        own_id = _own_id(attributes.id, self.source.settings.translation)
        note = note._replace(
            deck=self.names[read.deck],
            id=own_id,
            key=own_id,
            translated=attributes.translated,
            difficulty=difficulty,
            tags=self._tags((*attributes.tags, *note.tags), difficulty),
            ignore=attributes.ignore,
            unlike=attributes.unlike,
            context=self.context.of(place.line) if self.context else "",
            language=language if language != self.facts.language else "",
            **values,
        )
        if self.macros:
            note, problems = with_macros(note, self.macros, self.definitions.formulas, most=MAX_FIELD_BYTES)
            diagnostics += problems
        self.definitions.forget()
        ignored = tuple(zip(attributes.ignore, attributes.ignored, strict=True))
        return _Finished(note, attributes.places.get("id", place), ignored, diagnostics, attributes.draft)

    def _values(self, read: ReadNote) -> tuple[dict[str, Any], list[Diagnostic]]:
        """Return the values of a note that depend on its texts, and problems."""
        note, added = read.note, self.definitions.added
        choices = tuple(
            choice._replace(text=added(choice.text), comment=added(choice.comment)) for choice in note.choices
        )
        texts = {name: added(text) for name in TEXTS if (text := getattr(note, name))}
        contents, diagnostics = self._contents(texts, choices)
        answer = contents.get("answer", NOTHING)
        chosen = read.certain or read.attributes.kind is not None
        diagnostics += check_deletions(note.kind, note.location, contents, chosen=chosen)
        diagnostics += refuse_verbatim(contents.values())
        if not ("answer" in texts or note.typed or choices) and note.kind not in (Kind.CHOICE, Kind.CLOZE):
            fix = "write the answer below the heading, or `<!-- card: draft -->` to leave it out"
            place, length = note.heading_place, note.heading_length
            diagnostics.append(
                error(place, "no-answer", "this question has no answer", fix, length, traits=Trait.UNFINISHED)
            )
        diagnostics += same_options(choices, is_own=self.page.settings.dialect == OWN)
        references = (reference for content in contents.values() for reference in content.references)
        media, problems = self._media(references)
        labels = labelled(self.facts.language)
        values: dict[str, Any] = {
            "choices": choices,
            "typed": unicodedata.normalize("NFC", note.typed),
            "media": media,
            "code_deletions": read.attributes.kind is Kind.CLOZE and bool(answer.code_deletions),
            "labels": labels if choices and labels != ENGLISH else "",
        }
        if note.occlusion:
            values["occlusion"], wrong = with_picture(note, answer.references, media)
            problems += wrong
        return texts | values, diagnostics + problems

    def _own_values(self, note: Note) -> tuple[dict[str, Any], list[Diagnostic]]:
        """Return the same for a note with one of the collection's own note types."""
        heading = self.definitions.added(note.heading)
        fields = tuple((name, self.definitions.added(text)) for name, text in note.fields)
        texts = {name: text for name, text in fields if text}
        if not fields[0][1]:  # otherwise, no card shows the heading
            texts["heading"] = heading
        by_name, diagnostics = self._contents(texts, ())
        contents = list(by_name.values())
        self.verbatim += (fence for content in contents for fence in content.verbatim)
        references = [reference for content in contents for reference in content.references]
        references += verbatim_references(contents, self.source.name)
        media, problems = self._media(references, under_own_name)
        return {"heading": heading, "fields": fields, "media": media}, diagnostics + problems

    def _contents(
        self, texts: Mapping[str, Text], choices: Sequence[Choice]
    ) -> tuple[dict[str, Content], list[Diagnostic]]:
        """Return the contents of all texts of a note, and what would not render."""
        inspect = self.definitions.inspect
        contents = {name: inspect(text, heading=name == "heading") for name, text in texts.items()}
        for number, choice in enumerate(choices):
            contents[f"option {number}"] = inspect(choice.text)
            contents[f"comment {number}"] = inspect(choice.comment)
        return contents, [problem for content in contents.values() for problem in content.diagnostics]

    def _media(
        self, references: Iterable[Reference], named: Callable[[Media], Media] = lambda each: each
    ) -> tuple[tuple[Media, ...], list[Diagnostic]]:
        found: dict[str, Media] = {}
        diagnostics: list[Diagnostic] = []
        for reference in references:
            media, problems = self.media.find(self.source.file, reference)
            diagnostics += problems or ([reference.absent] if reference.absent and media is None else [])
            if media is not None:
                file = named(media)
                found[file.written] = file
                use = MediaUse(file.name, file.digest, str(file.file), reference.location, reference.length)
                self.media_uses.setdefault(use.file, use)
        return tuple(found[written] for written in sorted(found)), diagnostics

    def _tags(self, own: Iterable[str], difficulty: str) -> tuple[str, ...]:
        of_file = (tag for tag in self.page.defaults.tags if tag not in self.deck_tags)
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
        yield warning(
            _first(fences), "verbatim-html", message, fix, fences[0].length, traits=Trait.FOR_LEARNERS
        )


def _first(fences: Sequence[Verbatim]) -> Location:
    return min(fence.location for fence in fences)


def same_options(choices: Sequence[Choice], *, is_own: bool) -> Iterator[Diagnostic]:
    """Yield an error for each later copy of an option, or a warning in the format of another program."""
    seen: dict[str, int] = {}
    for number, choice in enumerate(choices, 1):
        text = " ".join(choice.text.markdown.split())
        if text and (first := seen.setdefault(text, number)) != number:
            message = f"this option is the same as option {first}"
            length = len(choice.text.markdown.partition("\n")[0])
            yield (error if is_own else warning)(
                choice.text.location(), "duplicate-option", message, "change one, or remove it", length
            )


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
            diagnostics += content.deletion_problems
            for deletion in content.deletions:
                fix = "move it into the note's text, or write it in backticks"
                message = "a deletion outside the note's text is not asked"
                diagnostics.append(
                    error(deletion.location, "deletion-outside-text", message, fix, deletion.length)
                )
    if kind is Kind.CLOZE:
        answer = contents.get("answer", NOTHING)
        diagnostics += answer.deletion_problems
        diagnostics += answer.code_deletion_problems if chosen else ()
        if not answer.deletions and not (chosen and answer.code_deletions) and not answer.deletion_problems:
            fix = "mark the text to recall: `{{c1::text}}`"
            diagnostics.append(error(place, "no-deletion", "a cloze without a deletion", fix, 2))
    return diagnostics
