"""`ptcards check --fix`: fixes what can be fixed safely, and nothing else.

Rules propose edits to lines. A file is written only if every note in it keeps its identity and there are no
new errors. All other bytes of the file stay the same.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import cache, cached_property, partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, errors_in
from ptcards.diagnostics.suggest import slip_among
from ptcards.files.inputs import MAX_SOURCE_BYTES, MAX_TOML_BYTES, InputError, read_input, real_path, shown
from ptcards.files.limits import parse_toml
from ptcards.files.toml import find_place
from ptcards.identity.hashes import NoteSummary, derive_guid
from ptcards.lint.edited_text import TextEdit, edits_of
from ptcards.lint.note import Reading, read
from ptcards.lint.registry import LineEdit, Rule, SourceToFix, all_rules
from ptcards.lint.rules.settings import UnknownKey
from ptcards.notes import Note
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import Ignoring, Owners, assemble, silence
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.config import known_keys
from ptcards.source.dialects import OWN
from ptcards.source.media import MediaFolder
from ptcards.source.source import ParsedSource, Source, find_conflicts, joined, rewrite, split_lines
from ptcards.workspace import Contents

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Matches a line as `patch` and git see it: only LF ends it."""
_NO_END = "\\ No newline at end of file"


class FixedText(NamedTuple):
    """The content of a file after fixing, and the rounds of edits that led to it."""

    content: bytes
    rounds: tuple[tuple[LineEdit, ...], ...]

    def edits(self, before: bytes) -> tuple[TextEdit, ...]:
        """Return the edits that lead here from the content before; no two of them touch each other."""
        return edits_of(before.decode("utf-8-sig"), self.rounds) if self.rounds else ()


class FileFix(NamedTuple):
    """What a fix did to a file below a folder: its content before and after, the same if it did nothing."""

    file: Path
    folder: Path
    before: bytes = b""
    after: bytes = b""


class PlannedFix(NamedTuple):
    """What `fix` would do to a file: its path as shown, its content before and after, and the edits."""

    path: str
    before: bytes
    after: bytes
    edits: tuple[TextEdit, ...]

    @property
    def difference(self) -> list[str]:
        """The lines of a unified diff with their ends, such that `patch` and `git apply` make each byte."""
        old, new = (_LINE.findall(content.decode()) for content in (self.before, self.after))
        name = f"{self.path}\t" if " " in self.path else self.path  # as git has it
        lines = unified_diff(old, new, name, name)
        return [line if line.endswith("\n") else f"{line}\n{_NO_END}\n" for line in lines]


def fix_keys(toml: Path) -> FileFix:
    """Correct the clearly misspelt keys in a `deck.toml`.

    Raises OutputError if the file cannot be written.
    """
    return _rewrite(toml, toml.parent, _fix_keys)


def fixable_keys(toml: Path) -> list[Location]:
    """Return the places of the misspelt keys that `fix_keys` would correct."""
    with suppress(InputError, UnicodeDecodeError):
        rounds = _fix_keys(read_input(toml, toml.parent, MAX_TOML_BYTES)).rounds
        return [Location(shown(toml), edit.line, edit.column) for (edit,) in rounds]
    return []


def _rewrite(file: Path, folder: Path, fixed: Callable[[bytes], FixedText]) -> FileFix:
    return FileFix(file, folder, *rewrite(file, folder, lambda before: fixed(before).content))


def _fix_keys(before: bytes) -> FixedText:
    """Return the content of a `deck.toml` with its clearly misspelt keys corrected."""
    mark = "\ufeff" if before.startswith(b"\xef\xbb\xbf") else ""
    text = before.decode("utf-8-sig")
    rounds = []
    # Correct one key at a time: a misspelt table may contain misspelt keys.
    while found := next(filter(None, (_corrected(text, *slip) for slip in _slips(text))), None):
        text, edit = found
        rounds.append((edit,))
    return FixedText((mark + text).encode(), tuple(rounds))


_MOST_KEYS = 100
"""The number of unknown keys that are looked at, which is how many mistakes of a `deck.toml` are reported."""


def _slips(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each unknown key, after its table (empty at the top level), with the key that was intended."""
    for table, key, known in islice(_unknown_keys(text), _MOST_KEYS):
        if meant := slip_among(key, known):
            yield table, key, meant


def _unknown_keys(text: str) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the table and the name of each unknown key, and the keys that it may stand for."""
    tables = known_keys()
    document = _parsed(text)
    for table, known in tables.items():
        entries = document.get(table, {}) if table else document
        top = (*known, *filter(None, tables)) if not table else known
        if isinstance(entries, dict):
            yield from ((table, key, top) for key in entries if key not in top)


def _corrected(text: str, table: str, key: str, meant: str) -> tuple[str, LineEdit] | None:
    """Return the text with a key corrected, and the edit, or `None` if that would change anything else."""
    place = find_place(text, "", table, key)
    lines = text.split("\n")
    line, start = lines[place.line - 1], place.column - 1
    if not line.startswith(key, start):
        return None
    lines[place.line - 1] = line[:start] + meant + line[start + len(key) :]
    tried = "\n".join(lines)
    before, after = _parsed(text), _parsed(tried)
    entries = before[table] if table else before
    if meant in entries or not after:
        return None
    entries[meant] = entries.pop(key)
    return (tried, LineEdit(place.line, start + 1, key, meant, UnknownKey.name)) if before == after else None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except (ValueError, RecursionError):
        return {}


_MOST_CHARACTERS = 1_000_000
"""The number of characters that may be parsed to find the harmful edits in a file."""
_FEWEST_TRIES = 10
"""The number of times that even a large file may be parsed."""

_Line = tuple[str, str]
"""A line and its ending: LF, CRLF, CR or, at the end of the file, an empty string."""


@cache
def fixing_rules() -> frozenset[str]:
    """Return the names of the rules that `--fix` can fix in at least some cases."""
    return frozenset(name for name, rule in all_rules().items() if rule.has_fix)


RulesByPath = Mapping[str, Container[str]]
"""The rules whose findings are to be fixed in each file, by its path as shown."""


def fix(found: Iterable[Contents], rules: RulesByPath) -> list[str]:
    """Fix what these rules found in the selected sources; return the paths of the files that have changed.

    Sources written for another program are left alone, but their `deck.toml` is fixed.

    Raises OutputError if a file cannot be written; earlier files stay fixed.
    """
    return [path for path, file, folder, fixed in _to_fix(found, rules) if _rewrite(file, folder, fixed)]


def planned_fixes(found: Iterable[Contents], rules: RulesByPath) -> Iterator[PlannedFix]:
    """Yield what `fix` would do to each file that it would change, and change nothing."""
    for path, file, folder, fixed in _to_fix(found, rules):
        with suppress(InputError, UnicodeDecodeError):
            real = real_path(file, folder)
            content = read_input(real, real.parent, MAX_SOURCE_BYTES)
            after = fixed(content)
            if edits := after.edits(content):
                yield PlannedFix(path, content, after.content, edits)


def planned_text_edits(
    collection: Collection, source: Source, parsed: ParsedSource, content: bytes, rules: Container[str]
) -> tuple[TextEdit, ...]:
    """Return what `fix` would change in a source with this content."""
    if not _is_ours(parsed):
        return ()
    return fix_text(collection, source, content, rules).edits(content)


def _is_ours(parsed: ParsedSource) -> bool:
    """Whether a source is written for ptcards, so that it may be fixed."""
    return parsed.dialect == OWN and not parsed.seems_foreign


def _to_fix(
    found: Iterable[Contents], rules: RulesByPath
) -> Iterator[tuple[str, Path, Path, Callable[[bytes], FixedText]]]:
    """Yield each file to fix: its path as shown, itself, the folder it is below, and its fix."""
    for contents in found:
        root = contents.collection.root
        if (toml := shown(root / "deck.toml")) in rules:
            yield toml, root / "deck.toml", root, _fix_keys
        for each in contents.selected:
            if each.source.path in rules and _is_ours(each.parsed):
                fixed = partial(fix_text, contents.collection, each.source, rules=rules[each.source.path])
                yield each.source.path, each.source.file, each.source.root, fixed


def fix_file(collection: Collection, source: Source, rules: Container[str]) -> FileFix:
    """Fix what these rules found in one source.

    Raises OutputError if the file cannot be written.
    """
    return _rewrite(source.file, source.root, partial(fix_text, collection, source, rules=rules))


def fix_text(collection: Collection, source: Source, content: bytes, rules: Container[str]) -> FixedText:
    """Return a source's content after these rules have fixed all they can.

    A source with an unfinished merge is left alone.
    """
    lines = split_lines(content)
    if find_conflicts("\n".join(line for line, _ in lines)):
        return FixedText(content, ())
    collection = collection._replace(sources=(source,))
    facts = CollectionFacts.of(collection)
    state = fixed(State.of_lines(facts, source, lines, MediaFolder(facts.root), ignoring=collection), rules)
    return FixedText(joined(content, state.lines), state.rounds)


def fixed(state: "State", rules: Container[str]) -> "State":
    """Return the state of a source after these rules have fixed all they can."""
    seen: set[str] = set()
    # Stops if two rules undo each other's fixes.
    while state.source.text not in seen and (edits := state.edits(rules)):
        seen.add(state.source.text)
        before, state = state, state.apply_safely(edits)
        if state is before:
            break
    return state


def find_wrong(notes: Iterable[Ignoring], diagnostics: Iterable[Diagnostic]) -> dict[Location, Trait]:
    """Return the locations of the notes that have errors, mapped to the traits of these errors."""
    errors = errors_in(diagnostics)
    owners = Owners(notes if errors else ())
    wrong: dict[Location, Trait] = {}
    for diagnostic in errors:
        note = owners.find(diagnostic.location)
        if note is not None:
            wrong[note.location] = wrong.get(note.location, Trait.NONE) | diagnostic.traits
    return wrong


@dataclass(eq=False)
class State:
    """A source at one stage of fixing.

    Problems that the notes ignore are never fixed, nor are those that the collection `ignoring` ignores.
    `rounds` are the edits that led here; those of a round are places in the text that the one before left.
    Fixed texts look for files in `media`.
    """

    facts: CollectionFacts
    source: Source
    parsed: ParsedSource
    media: MediaFolder
    ignoring: Collection | None = None
    rounds: tuple[tuple[LineEdit, ...], ...] = ()

    @classmethod
    def of_lines(
        cls,
        facts: CollectionFacts,
        source: Source,
        lines: Sequence[_Line],
        media: MediaFolder,
        *,
        ignoring: Collection | None,
        rounds: tuple[tuple[LineEdit, ...], ...] = (),
        parsed: ParsedSource | None = None,
    ) -> "State":
        """Return the state of a source with other lines, which are parsed if `parsed` is missing."""
        source = source._replace(text="\n".join([line for line, _ in lines]))
        parsed = parsed or parse_source(facts, source, media)
        state = cls(facts, source, parsed, media, ignoring=ignoring, rounds=rounds)
        state.lines = lines
        return state

    @cached_property
    def lines(self) -> Sequence[_Line]:
        """The lines with their ends."""
        return [(line, "\n") for line in self.source.text.split("\n")]

    @cached_property
    def _assembled(self) -> tuple[tuple[Note, ...], list[Diagnostic]]:
        return assemble([self.parsed])

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes and drafts, with their keys."""
        return self._assembled[0]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What the parser reports about this source."""
        return self._assembled[1]

    @cached_property
    def readings(self) -> Sequence[tuple[Reading, list[Diagnostic]]]:
        """The notes as the rules read them, with the problems in their code."""
        macros = frozenset(macro.name for macro in self.source.settings.macros)
        is_own = self.parsed.dialect == OWN
        return tuple(read(note, is_own=is_own, macros=macros) for note in self.parsed.all_notes)

    @cached_property
    def advised(self) -> Sequence[tuple[Reading, list[Diagnostic], bool]]:
        """The notes that get advice, each with the problems in its code and whether it has no errors."""
        wrong = find_wrong(self.parsed.all_notes, self.parsed.diagnostics)
        # Most rules do not know the purpose of a custom note type's fields, so they skip its notes.
        return tuple(
            (reading, problems, reading.note.location not in wrong)
            for reading, problems in self.readings
            if not reading.note.own_type
            and Trait.MISLEADING not in wrong.get(reading.note.location, Trait.NONE)
        )

    def edits(self, rules: Container[str]) -> list[LineEdit]:
        """Return all edits that these rules propose, without duplicates, in file order."""
        notes = [reading for reading, *_ in self.advised]
        draft = SourceToFix([line for line, _ in self.lines], notes, self.diagnostics, self.source)
        # If a tab is partly list indentation, the code has spaces where the file has the tab.
        proposed = [
            (rule, replace(edit, rule=rule.name))
            for rule in all_rules().values()
            if rule.name in rules
            for edit in rule.fix(draft)
            if edit.new != edit.old
            and edit.column  # 0 if the parser does not read the line exactly as it is written
            and draft.lines[edit.line - 1].startswith(edit.old, edit.column - 1)
        ]
        wanted = dict.fromkeys(self._without_ignored(proposed))
        # A line that will be deleted needs no other edits.
        going = {edit.line for edit in wanted if edit.new is None}
        return _apart(sorted(edit for edit in wanted if edit.new is None or edit.line not in going))

    def _without_ignored(self, proposed: Iterable[tuple[Rule, LineEdit]]) -> Iterator[LineEdit]:
        """Yield the edits, except those whose rule the collection, the file or the note ignores."""
        edits = {}
        for rule, edit in proposed:
            place = Location(self.source.path, edit.line, edit.column)
            only_error = set(rule.severities) == {Severity.ERROR}  # these errors cannot be ignored
            severity = Severity.ERROR if only_error else Severity.WARNING
            edits[Diagnostic(place, rule.name, severity, "", str(edit))] = edit
        for diagnostic in silence(self.ignoring, self.notes, edits)[0]:
            yield edits[diagnostic]

    def apply_safely(self, edits: Sequence[LineEdit], tries: Iterator[int] | None = None) -> "State":
        """Apply the edits that do no harm; return the new state, or this one if there are none.

        If all edits together do harm, smaller groups are tried while `tries` lasts.
        """
        tries = tries or iter(range(max(_FEWEST_TRIES, _MOST_CHARACTERS // (len(self.source.text) + 1))))
        if not edits or next(tries, None) is None:
            return self
        whole = self._with(edits)
        if whole.keeps(self):
            return whole
        if len(edits) == 1:
            return self
        # Apply the lower half first, so that the locations above it stay valid.
        middle = len(edits) // 2
        return self.apply_safely(edits[middle:], tries).apply_safely(edits[:middle], tries)

    def _with(self, edits: Sequence[LineEdit]) -> "State":
        lines = list(self.lines)
        end_is_blank = not "".join(text for text, _ in lines[edits[0].line - 1 :]).strip()
        may_matter = not end_is_blank or any(each.new is not None for each in edits) or bool(self.errors())
        for edit in sorted(edits, reverse=True):
            text, end = lines[edit.line - 1]
            start = edit.column - 1
            if edit.new is None:
                del lines[edit.line - 1]
            else:
                *above, last = (text[:start] + edit.new + text[start + len(edit.old) :]).split("\n")
                lines[edit.line - 1 : edit.line] = [*((each, end or "\n") for each in above), (last, end)]
        rounds = (*self.rounds, tuple(edits))
        # Blank lines at the end of a file belong to no note, unless something above them is unclosed.
        parsed = None if may_matter else self.parsed
        state = State.of_lines(
            self.facts, self.source, lines, self.media, ignoring=self.ignoring, rounds=rounds, parsed=parsed
        )
        if not may_matter:
            state.readings = self.readings
        return state

    def keeps(self, before: "State") -> bool:
        """Whether every note and draft of an earlier stage is still there, and there are no new errors.

        A note keeps its GUID, and no draft becomes a note.
        """
        if self.parsed is before.parsed:
            return True
        known = before.errors()
        by_deck = not known["bad-deck-name"]  # nothing of such a deck was ever built
        return not before.guids(by_deck=by_deck) - self.guids(by_deck=by_deck) and not self.errors() - known

    def guids(self, *, by_deck: bool) -> Counter[tuple[str, bool]]:
        """Return the number of notes with each GUID, as derived without a lock or a collection's id.

        Drafts are counted apart, under the GUIDs that they would have. The deck counts only `by_deck`.
        """

        def known(summary: NoteSummary) -> NoteSummary:
            fingerprint = summary.fingerprint
            return summary if by_deck else summary._replace(fingerprint=fingerprint._replace(deck=""))

        groups = ((self.parsed.summaries, False), (self.parsed.draft_summaries, True))
        return Counter(
            (derive_guid(known(summary), "", ()), is_draft) for group, is_draft in groups for summary in group
        )

    def errors(self) -> Counter[str]:
        """Return the number of errors by rule."""
        return Counter(
            diagnostic.rule for diagnostic in self.diagnostics if diagnostic.severity is Severity.ERROR
        )


def _apart(edits: Sequence[LineEdit]) -> list[LineEdit]:
    """Return sorted edits without those that overlap, so that no place is fixed twice."""
    touching = {edit for one, other in pairwise(edits) if _touch(one, other) for edit in (one, other)}
    return [edit for edit in edits if edit not in touching]


def _touch(one: LineEdit, other: LineEdit) -> bool:
    return one.line == other.line and other.column < one.column + max(1, len(one.old))
