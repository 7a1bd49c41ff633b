"""Compares a note three ways: as last written, as in the sources, and as in Anki.

An edit in Anki is never overwritten unless the author asks for it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ptcards.importing.html import BLOCKS, Element, Node, parse_html
from ptcards.push.values import Base, Known, Ours, Theirs, digest

NOT_KNOWN = Known(frozenset(), frozenset())
_TOPIC = "Topic"
_ANCHORS = re.compile(r"\b[0-9a-f]{11}(?=-[a-z]+[0-9]*-fn(?:ref)?[0-9])")
"""Matches the prefixes of the ids of footnotes in a field, which `anchor` in `anki.render` makes."""


class Change(NamedTuple):
    """What happens to a note that is in Anki: fields by their position, tags by name.

    `written` lists the fields to write, `kept` those edited only in Anki, `conflicts` those edited in both
    places, `alike` those that differ but mean the same, and `reversals` those that have a text that we wrote
    earlier: nobody typed it, a window that was open in Anki saved it. `own` are the tags that the owner of
    the Anki collection added. `in_package` is true if a package writes the note.
    """

    ours: Ours
    theirs: Theirs
    written: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    conflicts: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    in_package: bool = False
    reversals: tuple[int, ...] = ()

    @property
    def is_update(self) -> bool:
        """Whether the push writes anything to the note."""
        return bool(self.written or self.added or self.removed)

    @property
    def is_same(self) -> bool:
        """Whether the note is the same in Anki and in the sources."""
        return not (self.is_update or self.kept or self.conflicts or self.reversals or self.own)

    @property
    def is_merged(self) -> bool:
        """Whether edits in Anki are merged with ours."""
        return self.is_update and bool(self.kept or self.own)


def is_clean(theirs: Theirs, base: Base | None, known: Known, now: int = 0) -> bool:
    """Whether nobody has edited a note in Anki since ptcards wrote it.

    This is the case if ptcards gave the note its time, perhaps in a push before a backup of Anki was
    restored. `now` is the note's time in the sources. A note with this time does not count as clean: it
    either equals the one in the sources, or was edited in the very second of the build.
    """
    if base is not None and theirs.mod in (base.mod, *base.past):
        return True
    is_edited = base is not None and theirs.mod == -base.mod
    return not is_edited and theirs.mod != now and theirs.mod in known.mods


def is_quiet(ours: Ours, base: Base | None, mod: int) -> bool:
    """Whether a note has changed neither in the sources nor in Anki since the last push."""
    return base is not None and base.mod == mod and base.tags == ours.tags and base.whole == digest(ours.text)


def compare(
    ours: Ours,
    theirs: Theirs,
    base: Base | None,
    known: Known,
    *,
    overwrite: bool = False,
    extended: bool = False,
) -> Change:
    """Return what happens to a note that is both in the sources and in Anki.

    A package cannot update notes of an `extended` note type.
    """
    clean = is_clean(theirs, base, known, ours.mod)
    written: list[int] = []
    # A note that was imported from another program and not edited since gets the text from the sources.
    is_theirs = base is None and ours.row.after is None and theirs.mod == ours.mod
    kept: list[int] = []
    conflicts: list[int] = []
    alike: list[int] = []
    reversals: list[int] = []
    for place, (here, there) in enumerate(zip(ours.fields, theirs.fields, strict=True)):
        if here == there:
            continue
        before, before_there = base.digests(place) if base else (None, None)
        as_there = _with_ids_of(there, here)
        is_unchanged = before is not None and before in (digest(here), digest(as_there))
        is_unedited = before_there is not None and before_there == digest(there)
        if as_there == there:
            alike.append(place)
        elif clean or (is_unedited and not is_unchanged):
            written.append(place)
        elif base and not is_unedited and base.has_written(place, there):
            (written if overwrite else reversals).append(place)
        elif is_unchanged:
            (alike if is_unedited or is_same_html(here, there) else kept).append(place)
        elif is_theirs or is_same_html(here, there):
            alike.append(place)
        elif overwrite:
            written.append(place)
        else:
            conflicts.append(place)
    if ours.row.after is not None:  # not one of the collection's own note types
        _pass_over(ours.names.index(_TOPIC), alike, written, kept, conflicts, reversals)
    given = theirs.tags if clean else base.tags if base else frozenset()
    own = _without(_without(theirs.tags, given), ours.tags)
    added, removed = _without(ours.tags, theirs.tags), _without(theirs.tags, ours.tags | own)
    in_package = (
        bool(written or added or removed)
        and not (kept or conflicts or reversals or own or extended)
        and clean
        and ours.mod > theirs.mod  # Anki skips notes that are not newer.
    )
    places = tuple(written), tuple(kept), tuple(conflicts), tuple(alike)
    return Change(ours, theirs, *places, added, removed, own, in_package, tuple(reversals))


def _pass_over(topic: int, alike: list[int], written: list[int], *others: list[int]) -> None:
    """Count a difference in the field `Topic` as none, because a move is not an edit.

    If other fields are written, it is written with them.
    """
    for places in (*others, *([written] if written == [topic] else [])):
        if topic in places:
            places.remove(topic)
            alike.append(topic)


_SAME_TAGS = {"b": "strong", "i": "em", "s": "del", "strike": "del"}
"""The tags that Anki's editor writes, and the ones that we write for the same appearance."""


def _with_ids_of(theirs: str, ours: str) -> str:
    """Return our field with the ids of footnotes that Anki has: they depend on the deck and the question."""
    found = _ANCHORS.search(theirs)
    return _ANCHORS.sub(found[0], ours) if found else ours


def is_same_html(one: str, other: str) -> bool:
    """Whether a browser shows two texts in the same way, apart from the margins of a single paragraph.

    Anki's editor has its own ways to write `<b>`, `<br>` and `"`, and writes a single paragraph without its
    tag. The ids of footnotes may differ.
    """
    one = _with_ids_of(other, one)
    return one == other or _body(parse_html(one)) == _body(parse_html(other))


def _body(root: Element) -> object:
    _, _, inner = _plain(root)
    match inner:
        case [("p", {} as attributes, text)] if not attributes:
            return text
    return inner


def _plain(element: Element) -> tuple[str, dict[str, str], list[object]]:
    inner: list[object] = []
    for place, each in enumerate(element.children):
        beside = _beside(element.children, place)
        if isinstance(each, Element):
            inner.append(_plain(each))
        elif place and isinstance(beside[0], Element) and beside[0].tag == "br":
            inner.append(each.lstrip())
        elif not (each.isspace() and all(map(_is_block, beside))):  # white space between blocks is invisible
            inner.append(each)
    attributes = {name: value for name, value in element.attributes.items() if (name, value) != ("alt", "")}
    return _SAME_TAGS.get(element.tag, element.tag), attributes, inner


def _beside(children: Sequence[Node], place: int) -> Sequence[Node]:
    return [*children[max(0, place - 1) : place], *children[place + 1 : place + 2]]


def _is_block(node: Node) -> bool:
    return isinstance(node, Element) and node.tag in BLOCKS


def fold(tags: Iterable[str]) -> frozenset[str]:
    """Return tags in the form in which Anki compares them."""
    return frozenset(tag.casefold() for tag in tags)


def _without(tags: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the tags that are not among the others; like Anki, ignore case."""
    keys = fold(others)
    return frozenset(tag for tag in tags if tag.casefold() not in keys)
