"""Reports that no source contains a note, and the cards that are left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, error, hint, warning
from ptcards.extensions import modules
from ptcards.files.inputs import shown
from ptcards.identity.hashes import NoteSummary
from ptcards.notes import LeftOutCard
from ptcards.source.attributes import is_skip
from ptcards.source.collection import Collection
from ptcards.source.config import NoteSettings
from ptcards.source.dialects import OWN, is_dialect
from ptcards.source.source import count_of, read_source
from ptcards.workspace.cached_source import CachedSource

_CURES = {"remote-media": "run `ptcards check --fix --fetch` to save such pictures in the collection"}


def unread_cards(
    collection: Collection, looked: Sequence[CachedSource], *, notes: int = 0
) -> Iterator[Diagnostic]:
    """Yield diagnostics about cards that are not read; an error if no source contains a note.

    `notes` is the number of notes that a first look does not read.
    """
    summaries = [summary for each in looked for summary in each.parsed.all_summaries]
    drafts = [summary for each in looked for summary in each.parsed.draft_summaries]
    found = [each for one in modules("unread") for each in one.unread_cards(collection, looked, notes=notes)]
    yield from found
    # An unknown dialect is already an error, which explains why nothing is read.
    if found or not looked or not all(is_dialect(each.parsed.dialect) for each in looked):
        return
    if not notes and len(drafts) == len(summaries):
        none = _only_drafts(drafts[0], looked) if drafts else _no_notes(collection, looked)
        yield replace(none, traits=Trait.NO_NOTES)


def _only_drafts(first: NoteSummary, looked: Sequence[CachedSource]) -> Diagnostic:
    message = f"no notes in {counted(len(looked), 'file')}: every note is a draft"
    return error(
        first.location, "no-notes", message, "to accept a draft, remove `draft` from its card comment"
    )


def _no_notes(collection: Collection, looked: Sequence[CachedSource]) -> Diagnostic:
    files = counted(len(looked), "file")
    place = Location(shown(collection.root), 1, 0) if len(looked) > 1 else Location(looked[0].source.path, 1)
    if missing := sum(not card.doubtful for each in looked for card in each.parsed.left_out):
        message = f"{count_of(missing, 'cards')} left out"
        fix = "fix the problems that the `left-out` warnings report"
    elif skipped := next(filter(None, map(_first_skip, looked)), None):
        place, message = skipped, "every question is skipped"
        fix = "remove `<!-- card: skip -->` from a card"
    elif (read := {each.parsed.dialect for each in looked}) == {OWN}:
        message, fix = _lacking(looked[0].source.settings)
    else:
        message = f"no {' or '.join(f'`{each}`' for each in sorted(read))} cards"
        fix = "run `ptcards check -v` to see what makes a card"
    return error(place, "no-notes", f"no notes in {files}: {message}", fix)


def _lacking(settings: NoteSettings) -> tuple[str, str]:
    """Return what makes a heading a question and is nowhere, and what to write."""
    if settings.cards == "marked":
        fix = f"write `{settings.mark}` after each heading that is a question, or `<!-- card -->` below it"
        return f"no heading ends with `{settings.mark}`", fix
    marks = "#" * settings.question_level
    fix = (
        f"write `{marks} ` before each question and the answer below it; for other formats, see "
        "`ptcards explain no-notes`"
    )
    return f"questions are `{marks}` headings, and there are none", fix


def _first_skip(looked: CachedSource) -> Location | None:
    """Return the first line of a source of ours that skips a question, or `None`."""
    source = read_source(looked.source).source if looked.parsed.dialect == OWN else None
    lines = enumerate(source.text.split("\n"), 1) if source else ()
    return next((Location(looked.source.path, at) for at, line in lines if is_skip(line)), None)


def warn_of_left_out(cards: Sequence[LeftOutCard]) -> Iterator[Diagnostic]:
    """Yield a warning for each reason why cards of one source are left out; a hint if they may be none."""
    for cause in dict.fromkeys(card.cause for card in cards):
        first, *more = (card for card in cards if card.cause == cause)
        shown = cause if " " in cause else f"`{cause}`"
        message = f"{count_of(1 + len(more), 'cards')} left out: {shown}"
        if more:
            message += f" (the first on line {first.place.line})"
        said = hint if first.doubtful else warning
        yield said(
            first.place,
            "left-out",
            message,
            first.cure or _CURES.get(cause, f"see `ptcards explain {cause}`"),
        )
