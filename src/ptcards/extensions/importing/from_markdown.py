"""Imports notes from Markdown that was written for other programs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ptcards.diagnostics import Diagnostic, errors_in
from ptcards.extensions.dialects.formats import NEEDS_TAGS, package_from
from ptcards.extensions.importing.drafts import Draft, LeftOutNote, Questions, deck_below, draft_of
from ptcards.extensions.importing.html_to_markdown import address_of
from ptcards.extensions.importing.problems import NotImportableError, refuse, remark
from ptcards.extensions.importing.write import ImportReport, Request, copy_media, write_collection
from ptcards.files.inputs import as_text, in_words, is_collection, one_file, shown
from ptcards.files.programs import in_shell
from ptcards.notes.rendered import Media
from ptcards.readers.parser import parse_source
from ptcards.source.collection import Collection, CollectionFacts, find_collections
from ptcards.source.dialects import OWN
from ptcards.source.media import MediaFolder, Reference
from ptcards.source.source import Evidence, ParsedSource
from ptcards.workspace.entries import Progress

_CAUSES = {
    "remote-media": "with a picture on a server",
    "missing-media": "with a missing file",
    "ambiguous-media": "with a file name that several files share",
}


def import_markdown(
    request: Request, dialect: str, progress: Progress
) -> tuple[ImportReport, list[Diagnostic]]:
    """Write another program's cards as a new collection; an empty `dialect` is detected.

    Raises:
        NotImportableError: nothing was written.
        OutputError: a file cannot be written.

    """
    path, said = shown(request.file.absolute()), "as requested"
    if not dialect:
        dialect, said = _found_out(request.file, path)
    (collection,), problems = find_collections([request.file], dialect=dialect)
    if wrong := errors_in(problems):
        raise NotImportableError(*wrong)
    parsed = list(_parsed(collection, progress))
    if dialect in NEEDS_TAGS and not any(source.notes or source.left_out for source in parsed):
        message = "no cards were found: no file has cards and a tag such as `#flashcards`"
        raise refuse(path, "no-notes", message, NEEDS_TAGS[dialect], status=1)
    name = request.name or _root(parsed)
    if not name or name.casefold() == "readme":
        root, config = collection.root, collection.config
        name = in_words(as_text(root.name)) if request.file.is_file() else config.name
    settings = request.settings(path, name)
    supply = _MarkdownNotes(ImportReport(path, f"{dialect}, {said}", "new"), parsed, name)
    return write_collection(supply, settings, request)


def _root(parsed: Iterable[ParsedSource]) -> str:
    """Return the top-level deck of all notes, or an empty string if there are several."""
    tops = {note.deck.partition("::")[0] for source in parsed for note in source.notes}
    return tops.pop() if len(tops) == 1 else ""


def _parsed(collection: Collection, progress: Progress = lambda *_: None) -> Iterator[ParsedSource]:
    facts, media = CollectionFacts.of(collection), _PicturesToo(collection.root)
    for number, source in enumerate(collection.sources):
        progress("Reading", number, len(collection.sources))
        if collection.is_selected(source.path):
            yield parse_source(facts, source, media)


class _PicturesToo(MediaFolder):
    """Finds media, and also accepts pictures on servers, which have no file."""

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        """Return a file, or only the address if the file is on a server."""
        if reference.address.startswith(("https://", "http://")):
            return Media(reference.address, Path(), "", ""), []
        return super().find(source, reference)


def _found_out(file: Path, path: str) -> tuple[str, str]:
    """Return the dialect of the Markdown at `file`, and how it was detected.

    Raises NotImportableError if the dialect is uncertain.
    """
    (collection,), problems = find_collections([file])
    if problems and not collection.sources:
        raise NotImportableError(problems[0], status=2)
    selected = (source for source in collection.sources if collection.is_selected(source.path))
    named = {source.settings.dialect for source in selected} - {OWN}
    if len(named) == 1:
        return named.pop(), "according to its settings"
    evidence = [each for source in _parsed(collection) for each in source.evidence]
    counts: Counter[str] = Counter()
    for each in evidence:
        counts[each.dialect] += each.count if each.sure else 0
    sure = [name for name, count in counts.most_common() if count]
    if len(sure) == 1 and not sure[0].startswith(("foreign:", "question-level")):
        best = next(each for each in evidence if each.dialect == sure[0] and each.sure)
        return sure[0], f"recognised by {replace(best, count=counts[sure[0]]).words}"
    if not evidence and collection.configured:
        part = "" if is_collection(file) else "part of "
        fix = f"run `ptcards build {in_shell(path)}`, or add `--from` with a dialect"
        raise refuse(path, "unsure-dialect", f"this is already {part}a collection", fix)
    raise _unsure(path, evidence, sure)


def _unsure(path: str, evidence: Iterable[Evidence], sure: list[str]) -> NotImportableError:
    """Return the error for an uncertain dialect, with the command to run."""
    found = list(dict.fromkeys([*sure, *(each.dialect for each in evidence)]))
    if any(name.startswith("foreign:") for name in found):
        tool = next(name for name in found if name.startswith("foreign:")).partition(":")[2]
        fix = f"{package_from(tool)}, and import that"
        return refuse(path, "foreign-format", f"this looks like {tool}", fix)
    dialects = [name for name in found if not name.startswith("question-level")]
    if not dialects:
        command = f"ptcards build {in_shell(path)}"
        fix = f"run `{command}` if questions are `##` headings; otherwise add `--from` with a dialect"
        return refuse(path, "unsure-dialect", "cannot tell which dialect the cards are written in", fix)
    message = f"the dialect may be {' or '.join(f'`{dialect}`' for dialect in dialects)}"
    return refuse(path, "unsure-dialect", message, f"add `--from {dialects[0]}`")


class _MarkdownNotes:
    """The notes that a dialect's reader found."""

    def __init__(self, report: ImportReport, parsed: Sequence[ParsedSource], name: str) -> None:
        self._parsed = parsed
        self._name = name
        self._shares_root = bool(_root(parsed))
        self.diagnostics: list[Diagnostic] = []
        self.report = report
        left_out = sum(len(source.left_out) for source in parsed)
        self._notes = [note for source in parsed for note in source.notes]
        self.report.notes = len(self._notes) + left_out
        files = {media.file for note in self._notes for media in note.media if media.name}
        self.report.media = len(files)
        self._places = dict(_places(files))

    def drafts(self, fallback: Mapping[int, int]) -> Iterator[Draft | LeftOutNote]:
        """Yield the notes, then the cards that could not be read."""
        questions = Questions()
        for key, note in enumerate(self._notes):
            addresses = {
                media.written: address_of(self._places[media.file]) for media in note.media if media.name
            }
            remote = frozenset(media.written for media in note.media if not media.name)
            draft = draft_of(note, addresses, remote)
            draft.key = key
            draft.deck = deck_below(self._name, note.deck, shares_top=self._shares_root)
            cannot = "that ptcards' format cannot express"
            found = cannot if key in fallback else questions.unique(draft)
            yield LeftOutNote(found, draft.place, draft.title) if isinstance(found, str) else found
        for source in self._parsed:
            for card in source.left_out:
                place = f"{card.place.path}:{card.place.line}"
                yield LeftOutNote(_CAUSES.get(card.cause, card.cause), place, card.heading.partition("\n")[0])

    def write_files(self, folder: Path) -> None:
        """Copy the media files that the notes use."""
        for file, place in self._places.items():
            copy_media(file, folder / place)

    def finish(self, *_: object) -> None:
        """Write nothing: nobody has these cards yet, so the first build creates the lock."""
        message = "these cards have no GUIDs: learners cannot keep their reviews"
        fix = "import the package instead if learners have one"
        self.diagnostics.append(remark(self.report.file, "no-identity", message, fix))


def _places(files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file with the path to write it to, all in one folder: with a number if a name is taken."""
    taken: set[str] = set()
    for file in sorted(files):
        place, number = f"media/{file.name}", 2
        while one_file(place) in taken:
            place, number = f"media/{file.stem}-{number}{file.suffix}", number + 1
        taken.add(one_file(place))
        yield file, place
