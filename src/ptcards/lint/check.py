"""Checks collections: reports everything that can be found without building them."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, as_json, errors_in, from_json, may_be_kept
from ptcards.files.inputs import find_root, is_collection
from ptcards.files.names import shown
from ptcards.identity.history import compare_with_history
from ptcards.identity.outcome import warn_of_recognised
from ptcards.identity.refusals import lost_notes
from ptcards.identity.resolve import identify, read_clock
from ptcards.lint.advice import (
    MISLEADING,
    advise,
    enabled_rules,
    enabling,
    find_wrong,
    make_advice,
    unless_wrong,
)
from ptcards.lint.fixes import as_it_is
from ptcards.lint.overview import Overview, make_overviews, overviews
from ptcards.lint.registry import all_rules
from ptcards.lint.settings import check_settings
from ptcards.source.assembly import assemble
from ptcards.source.collection import Collection
from ptcards.source.config import CheckConfig, plain_config, read_config
from ptcards.source.media import MediaFolder
from ptcards.source.parser import parse_source
from ptcards.source.parts import Surroundings
from ptcards.source.reading import SettingsByFile
from ptcards.source.recipes import Recipe
from ptcards.source.silence import silence
from ptcards.source.source import Source, decode_source
from ptcards.workspace import Contents, ReadOptions, Workspace


class Checked(NamedTuple):
    """The result of a check; `fixable` counts, by path and rule, the findings that `--fix` would fix."""

    contents: tuple[Contents, ...]
    diagnostics: list[Diagnostic]
    notes: int
    fixable: Mapping[tuple[str, str], int]


def check(
    paths: Sequence[Path],
    options: ReadOptions | None = None,
    *,
    question: Sequence[object] = (),
    enable: Sequence[str] = (),
) -> Checked:
    """Return what the parser, the rules and the lock report about the selected sources.

    No file of the collection is changed. If `question` is given, the cache stores the result under it.
    `enable` turns on rules that are off by default.

    Raises NoSuchSourceError for a path that does not exist, and ClockError if SOURCE_DATE_EPOCH is not a
    time.
    """
    options = options or ReadOptions()
    workspace = Workspace.read(
        paths,
        options,
        lambda collection: (
            Recipe(("advice", "fixable"), make_advice, enabling(collection.config.check, enable)),
            Recipe(("overviews",), make_overviews),
        ),
    )
    diagnostics = workspace.diagnostics
    # Taken before the locks are read: if a lock changes afterwards, the result is not stored.
    facts = workspace.facts() if question and may_be_kept(diagnostics) else None
    broken = errors_in(diagnostics)
    for contents in workspace.contents:
        options.progress("Comparing", 0, 0)
        diagnostics += _check_together(contents, broken, enable)
    for contents in workspace.contents:
        diagnostics, used = silence(contents.collection, contents.summaries, diagnostics)
        diagnostics += check_settings(contents, all_rules(), used)
    fixable: dict[tuple[str, str], int] = {
        (read.source.path, rule): count
        for contents in workspace.contents
        for read, counts in contents.parts("fixable")
        for rule, count in counts
    }
    count = sum(contents.count for contents in workspace.contents)
    if facts is not None and may_be_kept(diagnostics):
        workspace.remember(question, facts, [list(map(as_json, diagnostics)), count, fixable])
    return Checked(workspace.contents, diagnostics, count, fixable)


def check_text(path: Path, content: bytes, *, enable: Sequence[str] = ()) -> Checked:
    """Return the findings in a source as if its file had this content."""
    file = Path(os.path.abspath(path))  # noqa: PTH100 - a symbolic link keeps the path that the author gave
    root = find_root(file)
    configured = is_collection(root)
    folder = root if configured else file.parent
    toml = folder / "deck.toml"
    config = read_config(toml, shown(toml))[0] if configured else plain_config(file.stem)
    name = file.relative_to(folder).as_posix()
    read = decode_source(
        Source(file, shown(file), name, reading=SettingsByFile(folder, config).of(name)), content
    )
    if read.source is None:
        return Checked((), list(read.problems), 0, {})
    collection = Collection(folder, config, configured, (read.source,), None, ())
    # The name of a collection's only source is not a deck level, so the source is read as one of several.
    around = Surroundings.of(collection)._replace(lone=False)
    media = MediaFolder(folder)
    parsed = parse_source(around, read.source, media)
    found = [*read.problems, *assemble([parsed])[1]]
    advice = advise(enabling(config.check, enable), as_it_is(around, read.source, parsed, media))
    kept, _ = silence(collection, parsed.summaries, [*found, *unless_wrong(advice, found)])
    return Checked((), kept, len(parsed.notes), {})


def check_together(
    notes: Sequence[Overview], config: CheckConfig, *, selected: Callable[[str], bool]
) -> Iterator[Diagnostic]:
    """Yield what the enabled rules find in selected paths by comparing all notes of a collection."""
    for rule in enabled_rules(config):
        yield from (each for each in rule.check_all(notes) if selected(each.location.path))


def _once(advice: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return advice in which `language-not-set` appears only once: it is about the entire collection."""
    about = [each for each in advice if each.rule == "language-not-set"]
    return [each for each in advice if each.rule != "language-not-set"] + about[:1]


def _check_together(
    contents: Contents, broken: Sequence[Diagnostic], enable: Sequence[str]
) -> list[Diagnostic]:
    """Return the advice on a collection; `broken` contains the errors found while reading it."""
    collection = contents.collection
    config = enabling(collection.config.check, enable)
    wrong = find_wrong(contents.summaries, broken)
    own = {each.key for each in collection.config.note_types}
    others = {each.location for each in contents.summaries if each.fingerprint.note_type in own}
    notes = [
        note
        for note in overviews(contents)
        if note.location not in others and not wrong.get(note.location, frozenset()) & MISLEADING
    ]
    together = check_together(notes, config, selected=collection.is_selected)
    alone = _once([from_json(each) for _, advice in contents.parts("advice") for each in advice])
    return [*unless_wrong((*alone, *together), broken), *_ask_lock(contents)]


def _ask_lock(contents: Contents) -> list[Diagnostic]:
    """Return what the next build would report about identities, except that it would create a lock."""
    lock, diagnostics = contents.lock()
    if lock is None:
        return diagnostics
    history = contents.history()
    diagnostics += compare_with_history(lock, history)
    if lock.new or not contents.summaries:
        return diagnostics
    selected = contents.collection.selected
    identities, found = identify(
        contents.summaries,
        lock,
        clock=read_clock,
        selected=selected,
        history=history,
        earlier=contents.committed,
        foreign=contents.foreign.keys(),
    )
    retired = identities.changes.retired
    if contents.foreign and retired:
        found += lost_notes(retired, contents.left_out, lock, contents.sources[0].place)
    return [*diagnostics, *found, *warn_of_recognised(identities.recognised)]
