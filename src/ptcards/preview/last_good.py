"""What stays on screen while a source is broken: its notes as they were before."""

from collections.abc import Sequence
from dataclasses import replace

from ptcards.diagnostics import Location
from ptcards.preview.shown import Shown
from ptcards.workspace import Owners


class LastGood:
    """Remembers the notes of every source as they were when they were last good."""

    def __init__(self) -> None:
        self._good: dict[str, list[Shown]] = {}

    def all(self) -> list[Shown]:
        """Give all of them, as those of sources that are broken now."""
        return [replace(each, stale=True) for good in self._good.values() for each in good]

    def mend(self, fresh: list[Shown], broken: Sequence[Location]) -> list[Shown]:
        """Keep of the `fresh` notes, where a source has errors at the places `broken`, those that were there before."""
        by_path: dict[str, list[Shown]] = {}
        for each in fresh:
            by_path.setdefault(each.note.location.path, []).append(each)
        places: dict[str, list[Location]] = {}
        for place in broken:
            places.setdefault(place.path, []).append(place)
        # A source that cannot even be read has no notes, but keeps its place among the others.
        order = [path for path in self._good if path in by_path or path in places] if places else []
        good: dict[str, list[Shown]] = {}
        for path in dict.fromkeys((*order, *by_path)):
            old, new = self._good.get(path, []), by_path.get(path, [])
            good[path] = _mixed(old, new, places[path]) if old and path in places else new
        self._good = good
        return [each for cards in good.values() for each in cards]


def _mixed(old: Sequence[Shown], new: Sequence[Shown], broken: Sequence[Location]) -> list[Shown]:
    """Merge the last good notes of a source that has errors at the places `broken` with its new ones.

    An error above all notes spoils the whole source. Notes that are missing now may have been swallowed by a fence that is
    still open, so they stay.
    """
    owners = Owners(each.note for each in new)
    wrong = {note and note.location for note in map(owners.find, broken)}
    if None in wrong:
        return [replace(each, stale=True) for each in old]
    known = {each.id: each for each in old}
    mixed = [
        replace(known[each.id], stale=True) if each.note.location in wrong and each.id in known else each
        for each in new
    ]
    present = {each.id for each in new}
    behind: dict[str, list[Shown]] = {}  # the missing ones, by the last one before them that is not missing
    last = ""
    for each in old:
        last = each.id if each.id in present else last
        if each.id not in present:
            behind.setdefault(last, []).append(replace(each, stale=True))
    return [*behind.get("", []), *(card for each in mixed for card in (each, *behind.get(each.id, [])))]
