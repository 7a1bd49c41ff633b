"""Recognises edits that were written from Anki into the Markdown, as long as the Markdown contains them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from ptcards.extensions.desktop.merge.compare import Ours, Pulled, PushRecord
from ptcards.extensions.desktop.merge.texts import digest, shown

_CONTENT = re.compile(r"-[0-9a-f]{8}(?=\.\w{1,16}\")")
"""Matches the hash of a file's content in its name."""


def pulled_edit(before: str, after: str, theirs: str) -> Pulled:
    """Return an edit from `before` to `after`, both as we write them; Anki has the field as `theirs`."""
    old, new = _word_pairs(before), _word_pairs(after)
    return Pulled(digest(theirs), {pair: new[pair] for pair in old | new if old[pair] != new[pair]})


def with_pulled(memory: PushRecord, pulled: Iterable[tuple[str, int, Pulled]]) -> PushRecord:
    """Return a record that knows edits that are in the Markdown now, by GUID and position."""
    notes = dict(memory.notes)
    for guid, place, edit in pulled:
        notes[guid] = notes[guid]._replace(pulled={**notes[guid].pulled, place: edit})
    return replace(memory, notes=notes)


def without_discarded(memory: PushRecord, ours: Iterable[Ours]) -> PushRecord:
    """Return a record without the edits that the author has removed from the Markdown."""
    notes = dict(memory.notes)
    for note in ours:
        base = notes.get(note.guid)
        if base and base.pulled:
            pulled = {place: edit for place, edit in base.pulled.items() if _has(note.fields[place], edit)}
            notes[note.guid] = base._replace(pulled=pulled)
    return replace(memory, notes=notes)


def _has(here: str, edit: Pulled) -> bool:
    """Whether the words that an edit added are still in their places, and none is back that it removed."""
    now = _word_pairs(here)
    return bool(edit.pairs) and all(now[pair] == number for pair, number in edit.pairs.items())


def _word_pairs(html: str) -> Counter[str]:
    """Return how often each pair of neighbouring words is in a text, by hash; a word has its formatting."""
    words = [*_words(shown(_CONTENT.sub("", html))), ""]
    return Counter(digest("\n".join(pair)) for pair in pairwise(words))


def _words(content: Iterable[object], above: str = "") -> Iterator[str]:
    """Yield the words that are shown, with the elements around them; an empty one begins a paragraph."""
    for each in content:
        match each:
            case str():
                yield from (above + word for word in each.split())
            case list():
                yield from ("", *_words(each, above))
            case (tag, dict() as attributes, list() as inner):
                inside = f"{above}{tag}{sorted(attributes.items())} "
                yield from _words(inner, inside) if inner else [inside]
            case _:  # a line break
                yield f"{above}{each}"
