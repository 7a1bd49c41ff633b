"""The list of an update: what *Update* would apply, line by line, as values without markup or language."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import islice, takewhile
from operator import eq
from typing import NamedTuple
from unicodedata import category, normalize

from ptcards.extensions.desktop.merge.compare import Change
from ptcards.extensions.desktop.merge.html_tree import parse_html
from ptcards.extensions.publish.subscription.package import media_in
from ptcards.extensions.publish.subscription.plain_text import INDENT, MARKS, as_lines, looking_alike
from ptcards.extensions.publish.subscription.update import DeckUpdate, how_changed, is_internal, title_of

_MOST_READ = 30_000
"""The characters of a field that are compared; whatever else changes in it is `…`."""
_MOST_STEPS = 300_000
"""Texts are not compared word by word if this would take more steps, about 5 milliseconds."""
_FEW_SHARED = 0.3
"""The share of equal words below which two texts are others altogether."""
_POINTS = "".join(each for each in map(chr, range(0x300, 0x3100)) if category(each)[0] == "M")
_IN_WORD = rf"[\w\u200c\u200d{_POINTS}{MARKS}]*"
"""Matches the rest of a word, with its vowel points, accents and marks, which are no letters for `re`."""
_BEFORE = rf"(?:(?:\A|\n){INDENT}*(?:\d{{1,9}}\.|•) |\s*+)"
"""Matches what does not count: white space, or the mark of an item, as another item may change its number."""
_TOKEN = re.compile(
    rf"{_BEFORE}(?:\u2066[^\u2069]*\u2069"
    rf"|(?:(?<!\w)[−-](?=\d))?\w{_IN_WORD}(?:(?<=[\d{MARKS}])[.,٫٬][{MARKS}]*\d{_IN_WORD})*|[^\w\s][{MARKS}]*)|\s++"
)
"""A formula, a word, a whole number with its sign and fraction or a mark, after what does not count."""
_HASH = re.compile(r"-[0-9a-f]{8}(?=\.\w+\Z)")
ANOTHER, PICTURE = "\x1a\x1b"
"""The marks for `another version` and `picture`, which have words in each language."""
_ANSWER, _OPTIONS = "Answer", "Choices"  # an answer has the options too
_WAYS = ("conflicts", "merged", "changes")


class MarkedWords(NamedTuple):
    """A piece of plain text.

    `mark` is `+` if it is new, `-` if it goes, `~` if it stays but differs, otherwise empty.
    """

    mark: str
    text: str


class ListedLine(NamedTuple):
    """A line of a list.

    `part` is the part of the update that it comes from, or how the note was changed, and `title` the note,
    deck, file or note type that it is about. `kind` is what the line says about it, `field` the field of the
    note or the topic of a new one; `words` follow.
    """

    part: str
    kind: str
    title: str
    field: str = ""
    words: tuple[MarkedWords, ...] = ()


def lines_of(update: DeckUpdate, most: int) -> Iterator[ListedLine]:
    """Yield the lines of an update, of each part at most this many, then one of the kind `only_first`."""
    for part, content in update.parts.items():
        if content:
            found = list(islice(LINES[part](update), most + 1))
            yield from found[:most]
            if len(found) > most:
                yield ListedLine(part, "only_first", str(most))


def _named(update: DeckUpdate, part: str) -> Iterator[ListedLine]:
    """Yield the lines of a part that have nothing but a name."""
    kind, names = {
        "renamed": ("deck", (_arrow(*each) for each in update.renamed.items() if each[0] in update.in_place)),
        "looks": ("layout", (update.source.package.types[int(each)].name for each in update.plan.looks)),
        "files": ("file", iter(update.plan.files)),
        "descriptions": ("description", iter(update.descriptions)),
        "back": ("back", (each.title or each.guid for each in update.back)),
    }[part]
    yield from (ListedLine(part, kind, name) for name in names)


def _changes(update: DeckUpdate) -> Iterator[ListedLine]:
    """Yield the lines of notes with a text that waits, of merged ones, then of the others."""
    for change in sorted(update.plan.changes, key=lambda each: _WAYS.index(how_changed(each))):
        if not (change.is_update or change.conflicts):
            continue
        title = title_of(change.theirs.fields) or title_of(change.ours.fields) or change.ours.guid
        found = [*_fields(change, title)]
        if tags := [*_tags(change)]:
            found.append(ListedLine("", "tags", title, "", tuple(tags)))
        for each in found or [ListedLine("", "formatting", title)]:
            yield each._replace(part=how_changed(change))


def _fields(change: Change, title: str) -> Iterator[ListedLine]:
    names = change.ours.names
    states = {names[each]: (each in change.written, each in change.conflicts) for each in range(len(names))}
    for place in sorted({*change.written, *change.conflicts}):
        is_said = names[place] == _OPTIONS and states[_OPTIONS] == states.get(_ANSWER)
        if is_said or is_internal(names, place):
            continue
        theirs = change.theirs.fields[place]
        compared = [*what_changes(theirs, change.text(place))] if place in change.written else []
        if place in change.conflicts:
            compared += side_by_side(theirs, change.ours.fields[place])
        for kind, words in compared:
            yield ListedLine("", kind, title, names[place], tuple(words))


def _tags(change: Change) -> Iterator[MarkedWords]:
    signed = [MarkedWords("+", f"+{tag}") for tag in sorted(change.added)]
    signed += [MarkedWords("-", f"−{tag}") for tag in sorted(change.removed)]
    for each in signed:
        yield from (each,) if each is signed[0] else (MarkedWords("", " "), each)


def _moves(update: DeckUpdate) -> Iterator[ListedLine]:
    for (guid, origin), ours in {(ours.guid, origin): ours for ours, origin, _ in update.plan.moves}.items():
        # A deck that is not the feed's has a mark before its name.
        words = MarkedWords("", _arrow(origin.lstrip("\x1f"), ours.deck))
        yield ListedLine("moves", "moved", title_of(ours.fields) or guid, "", (words,))


def _new(update: DeckUpdate) -> Iterator[ListedLine]:
    for note in update.plan.new:
        topic = " › ".join(note.deck.split("::")[1:])
        yield ListedLine("new", "new", title_of(note.fields) or note.guid, topic)


def _retired(update: DeckUpdate) -> Iterator[ListedLine]:
    for each in sorted(update.retired, key=lambda each: not each.is_clean):
        kind = "retired" if each.is_clean else "retired_kept"
        yield ListedLine("retired", kind, each.title or each.note.guid)


LINES: Mapping[str, Callable[[DeckUpdate], Iterator[ListedLine]]] = {
    **{part: partial(_named, part=part) for part in ("renamed", "looks", "files", "descriptions", "back")},
    "changes": _changes,
    "moves": _moves,
    "new": _new,
    "retired": _retired,
}
"""The lines of each part of an update."""


def _arrow(old: str, new: str) -> str:
    return f"{old} → {new}"


def what_changes(before: str, after: str) -> Iterator[tuple[str, Sequence[MarkedWords]]]:
    """Yield the kinds of differences between two fields: `words`, `picture`, `link` or else `formatting`."""
    found: list[tuple[str, Sequence[MarkedWords]]] = []
    if words := [*marked_words(before, after)]:
        found.append(("words", words))
    for kind, names_in in (("picture", _media), ("link", _links)):
        old, new = names_in(before), names_in(after)
        if old.keys() != new.keys():
            both = (old, new), (_told_apart(new, old), old)
            gone, come = (", ".join(one[each] for each in one if each not in other) for one, other in both)
            found.append((kind, [*_replaced(gone, come)]))
    is_long = max(len(before), len(after)) > _MOST_READ
    yield from found or [("words", (MarkedWords("~", "…"),)) if is_long else ("formatting", ())]


def _media(html: str) -> dict[str, str]:
    """Return the pictures, sounds and the like by their names, with what they show if that is said."""
    elements = [*parse_html(html[:_MOST_READ]).inside()]
    said = {each.attributes.get("src"): each.attributes.get("alt") for each in elements}
    links = _links(html)
    names = (each for each in media_in(html[:_MOST_READ]) if each not in links)
    return {name: said.get(name) or _HASH.sub("", name) for name in names}


def _links(html: str) -> dict[str, str]:
    anchors = (each for each in parse_html(html[:_MOST_READ]).inside() if each.tag == "a")
    return {link: link for each in anchors if (link := each.attributes.get("href", ""))}


def _told_apart(media: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return what media show, with a mark if another one is said to show the same."""
    return {
        name: f"{shown}: {ANOTHER}" if name not in others and shown in others.values() else shown
        for name, shown in media.items()
    }


def side_by_side(mine: str, authors: str) -> Iterator[tuple[str, Sequence[MarkedWords]]]:
    """Yield the learner's text and the author's, each complete; what differs is marked with `~`.

    If they show the same words and pictures, a third line says that they look `alike`.
    """
    media = _media(mine)
    both = media, _told_apart(_media(authors), media)
    old, new = (
        _tokens(text, {name: f"{PICTURE}: {shown}" for name, shown in found.items()})
        for text, found in zip((mine, authors), both, strict=True)
    )
    yield "yours", [*_marked(old, new)]
    yield "authors", [*_marked(new, old)]
    if looking_alike("".join(_stripped(old))) == looking_alike("".join(_stripped(new))):
        yield "alike", ()


def _marked(text: Sequence[str], other: Sequence[str]) -> Iterator[MarkedWords]:
    """Yield a text with the words marked that the other one has not, all together if these are most."""
    found = [(what == "equal", begin, end) for what, begin, end, _, _ in _compared(text, other)]
    shared = sum(end - begin for is_equal, begin, end in found if is_equal)
    if shared < _FEW_SHARED * max(len(text), len(other)):
        begin, end = _same(_stripped(text), _stripped(other)), len(text)
        end -= min(_same(_stripped(text)[::-1], _stripped(other)[::-1]), end - begin)
        found = [(True, 0, begin), (False, begin, end), (True, end, len(text))]
    for is_equal, begin, end in (each for each in found if each[1] < each[2]):
        yield MarkedWords("" if is_equal else "~", "".join(text[begin:end]))


def marked_words(before: str, after: str) -> Iterator[MarkedWords]:
    """Yield the words of two fields as plain text; a long text in which nothing changed is shortened.

    There is a blank between a word that goes and what follows it.
    """
    old, new = _tokens(before), _tokens(after)
    if _stripped(old) == _stripped(new):
        return
    for what, a, b, c, d in _compared(old, new):
        gone, come = "".join(old[a:b]), "".join(new[c:d])
        if what == "equal":
            blank = " " if a and old[a][0].isspace() and not come[0].isspace() else ""
            yield MarkedWords("", blank + _shortened(come))
        else:
            yield from _replaced(gone, come)


def _shortened(text: str) -> str:
    """Return a text with only its first and last words if it is long, of the first and last line."""
    if len(text) <= 120:
        return text
    first, last = text.partition("\n")[0], text.rpartition("\n")[2]
    begin = first if len(first) <= 50 else first[:50].rstrip().rpartition(" ")[0] or first[:50]
    end = last if len(last) <= 50 else last[-50:].lstrip().partition(" ")[2] or last[-50:]
    begin += "\u2069" * (len(re.findall("[\u2066-\u2068]", begin)) - begin.count("\u2069"))
    return f"{begin}\n…\n{end}" if "\n" in text else f"{begin} … {end}"


def _replaced(gone: str, come: str) -> Iterator[MarkedWords]:
    words, new = _stripped([gone, come])
    if len(words) < len(gone) and len(new) < len(come):
        yield MarkedWords("", come.removesuffix(new))
        gone, come = words, new
    if gone:
        yield MarkedWords("-", gone)
    if gone and come and not come[0].isspace():
        yield MarkedWords("", " ")
    if come:
        yield MarkedWords("+", come)


def _tokens(html: str, media: Mapping[str, str] | None = None) -> list[str]:
    text = as_lines(html, _MOST_READ, media, marked=True)
    if media is None:  # words of an update, which are underlined if they are new
        text = looking_alike(text)
    return _TOKEN.findall(normalize("NFC", text))


def _stripped(tokens: Sequence[str]) -> list[str]:
    return [re.sub(_BEFORE, "", token, count=1) for token in tokens]


def _compared(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that make one text of another, without regard to white space."""
    one, other = _stripped(old), _stripped(new)
    if one == other:
        return [("equal", 0, len(old), 0, len(new))]
    begin = _same(one, other)
    end = min(_same(one[::-1], other[::-1]), len(one) - begin, len(other) - begin)
    last, end_of_new = len(one) - end, len(other) - end
    words, counts = one[begin:last], Counter(other[begin:end_of_new])
    steps = (len(words) + sum(counts[each] for each in words)) * min(len(words), counts.total())
    inner: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(words), 0, counts.total())]
    if steps <= _MOST_STEPS:
        inner = SequenceMatcher(None, words, other[begin:end_of_new], autojunk=False).get_opcodes()
    moved = [(what, a + begin, b + begin, c + begin, d + begin) for what, a, b, c, d in inner]
    equal = [("equal", 0, begin, 0, begin), ("equal", last, len(one), end_of_new, len(other))]
    return [each for each in (equal[0], *moved, equal[1]) if each[1] < each[2] or each[3] < each[4]]


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words at the beginning are the same."""
    return sum(takewhile(bool, map(eq, one, other)))
