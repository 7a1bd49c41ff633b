"""`ptcards check --fix`: fixes what is certain, and nothing else.

The rules propose edits of lines. A file is written only with edits after which every note that was in it is
still there with the identity it had, and no error is new; every other byte stays as it was.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.identity.hashes import derive_guid
from ptcards.lint.note import read
from ptcards.lint.registry import Draft, Edit, Rule, all_rules
from ptcards.lint.toml_fixes import fix_keys
from ptcards.source.collection import Collection, Source, shown
from ptcards.source.media import MediaFolder
from ptcards.source.parser import ParsedSource, assemble, parse_source
from ptcards.source.readers.registry import OWN
from ptcards.source.rewrite import joined, rewrite, split_lines
from ptcards.workspace import Contents, silence

_MOST_CHARACTERS = 1_000_000
"""That are read again to find the edits that do harm, and how often a file is read at least."""
_FEWEST_TRIES = 10

_Line = tuple[str, str]
"""A line and its end: LF, CRLF, CR or, at the end of the file, nothing."""


@cache
def fixing_rules() -> frozenset[str]:
    """Return the rules of which `--fix` fixes something."""
    return frozenset(name for name, rule in all_rules().items() if type(rule).fix is not Rule.fix)


def fix(found: Iterable[Contents], rules: Container[str]) -> Mapping[str, int]:
    """Fix what these rules found in the selected sources; return how many places of each path were fixed.

    What was written for another program is left as it is; `deck.toml` is ours.

    Raises OutputError where a file cannot be written; those before it are.
    """
    fixed = {}
    for contents in found:
        toml = contents.collection.root / "deck.toml"
        if "unknown-key" in rules and (count := fix_keys(toml)):
            fixed[shown(toml)] = count
        for each in contents.selected:
            if each.head.dialect == OWN and (count := fix_file(contents.collection, each.source, rules)):
                fixed[each.source.path] = count
    return fixed


def fixed_source(
    collection: Collection, source: Source, parsed: ParsedSource, rules: Container[str]
) -> tuple[Source, ParsedSource] | None:
    """Return a source as it would be if all that these rules can fix were fixed, and what is in it then.

    `None` if nothing can be.
    """
    lines = [(line, "\n") for line in source.text.split("\n")]
    state, count = _fix(State(collection, source, lines, parsed), rules)
    return (state.source, state.parsed) if count else None


def fix_file(collection: Collection, source: Source, rules: Container[str]) -> int:
    """Fix what these rules found in one source; return how many places were fixed.

    Raises OutputError where the file cannot be written.
    """
    counts = []

    def change(before: bytes) -> bytes:
        after, count = fix_text(collection, source, before, rules)
        counts.append(count)
        return after

    rewrite(source.file, source.root, change)
    return sum(counts)


def fix_text(
    collection: Collection, source: Source, content: bytes, rules: Container[str]
) -> tuple[bytes, int]:
    """Return a source's content with all that these rules can fix fixed, and how many places changed."""
    state, count = _fix(State(replace(collection, sources=(source,)), source, split_lines(content)), rules)
    return joined(content, state.lines), count


def _fix(state: "State", rules: Container[str]) -> tuple["State", int]:
    count = 0
    seen: set[str] = set()
    # No two rules may undo each other's cure for ever.
    while state.source.text not in seen and (edits := state.edits(rules)):
        seen.add(state.source.text)
        applied, state = state.apply_safely(edits)
        count += applied
        if not applied:
            break
    return state, count


class State:
    """A source at some stage of being fixed; `parsed` is its content, if known."""

    def __init__(
        self,
        collection: Collection,
        source: Source,
        lines: Sequence[_Line],
        parsed: ParsedSource | None = None,
    ) -> None:
        self.lines = lines
        self.source = replace(source, text="\n".join(line for line, _ in lines))
        self.collection = collection
        self.parsed = parsed or parse_source(collection, self.source, MediaFolder(collection.root))
        self.notes, _, self.diagnostics = assemble(collection, [self.parsed])

    def edits(self, rules: Container[str]) -> list[Edit]:
        """Return all edits that these rules propose, each once, in the order of the file."""
        readings = [read(note)[0] for note in self.notes]
        draft = Draft([line for line, _ in self.lines], readings, self.diagnostics, self.source)
        # A tab that the indentation of a list divides does not stand in the file as it stands in the code.
        proposed = [
            (rule, edit)
            for rule in all_rules().values()
            if rule.name in rules
            for edit in rule.fix(draft)
            if edit.new != edit.old and draft.lines[edit.line - 1].startswith(edit.old, edit.column - 1)
        ]
        wanted = set(self._without_ignored(proposed))
        # A line that goes need not be fixed.
        going = {edit.line for edit in wanted if edit.new is None}
        return _apart(sorted(edit for edit in wanted if edit.new is None or edit.line not in going))

    def _without_ignored(self, proposed: Iterable[tuple[Rule, Edit]]) -> Iterator[Edit]:
        """Yield the edits whose rule is not ignored there by the collection, the file or the note."""
        edits = {}
        for rule, edit in proposed:
            place = Location(self.source.path, edit.line, edit.column)
            only_error = set(rule.severities) == {Severity.ERROR}  # which nobody can ignore
            severity = Severity.ERROR if only_error else Severity.WARNING
            edits[Diagnostic(place, rule.name, severity, "", str(edit))] = edit
        for each in silence(self.collection, self.notes, edits)[0]:
            yield edits[each]

    def apply_safely(self, edits: Sequence[Edit], tries: Iterator[int] | None = None) -> tuple[int, "State"]:
        """Apply all edits, or those that do no harm as far as some `tries` tell.

        Return how many were applied.
        """
        tries = tries or iter(range(max(_FEWEST_TRIES, _MOST_CHARACTERS // (len(self.source.text) + 1))))
        if not edits or next(tries, None) is None:
            return 0, self
        whole = self._with(edits)
        if whole.keeps(self):
            return len(edits), whole
        if len(edits) == 1:
            return 0, self
        # The lower half first, so that the places of those above stay right.
        middle = len(edits) // 2
        below, state = self.apply_safely(edits[middle:], tries)
        above, state = state.apply_safely(edits[:middle], tries)
        return above + below, state

    def _with(self, edits: Sequence[Edit]) -> "State":
        lines = list(self.lines)
        for edit in sorted(edits, reverse=True):
            text, end = lines[edit.line - 1]
            start = edit.column - 1
            if edit.new is None:
                del lines[edit.line - 1]
            else:
                lines[edit.line - 1] = (text[:start] + edit.new + text[start + len(edit.old) :], end)
        return State(self.collection, self.source, lines)

    def keeps(self, before: "State") -> bool:
        """Whether every note of a stage before is still there under its GUID, and no error is new."""
        return not before.guids() - self.guids() and not self.errors() - before.errors()

    def guids(self) -> Counter[str]:
        """Count the identities that the notes have without a lock."""
        return Counter(derive_guid(each, self.collection.config.id, ()) for each in self.parsed.summaries)

    def errors(self) -> Counter[str]:
        """Count the errors by rule."""
        return Counter(each.rule for each in self.diagnostics if each.severity is Severity.ERROR)


def _apart(edits: Sequence[Edit]) -> list[Edit]:
    """Return sorted edits without those that touch another one: for one place there are never two cures."""
    touching = {edit for one, other in pairwise(edits) if _touch(one, other) for edit in (one, other)}
    return [edit for edit in edits if edit not in touching]


def _touch(one: Edit, other: Edit) -> bool:
    return one.line == other.line and other.column < one.column + max(1, len(one.old))
