"""The actions of the owner of an Anki collection, as functions on the collection, for tests.

They run in the tests' process or in a desktop Anki (`desktop_anki.py`), so arguments and results are JSON.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anki.cards import Card
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, assert_healthy, deck_counts, import_package, sides

JSON = dict[str, Any]
_OURS = "Mini"
"""The first note type of the collection that most tests push."""


def read(col: Collection, query: str = "") -> list[JSON]:
    """Return the notes that a query finds: id, GUID, time, fields by name, tags, ids of cards."""
    return [_note(col, nid) for nid in col.find_notes(query)]


def _note(col: Collection, nid: int) -> JSON:
    note = col.get_note(nid)
    return {
        "id": note.id,
        "guid": note.guid,
        "mod": note.mod,
        "fields": dict(note.items()),
        "tags": note.tags,
        "cards": [card.id for card in note.cards()],
    }


def occlusions(col: Collection) -> dict[str, JSON]:
    """Return what Anki's own editor reads of each note that hides parts of a picture, by its GUID."""
    found = {}
    for nid in col.find_notes("Occlusion:_*"):
        said = col._backend.get_image_occlusion_note(nid)
        each = said.note
        shapes = [
            sorted(
                [one.ordinal, each.shape, *sorted(f"{at.name}={at.value}" for at in each.properties)]
                for each in one.shapes
            )
            for one in each.occlusions
        ]
        names = ("image_file_name", "header", "back_extra", "tags", "occlude_inactive")
        # 24.11 does not have all of them.
        shown = {name: getattr(each, name) for name in names if hasattr(each, name)}
        found[col.get_note(nid).guid] = {
            **shown,
            "tags": list(each.tags),
            "shapes": sorted(shapes),  # Anki's order is random
            "error": said.WhichOneof("value") if hasattr(said, "WhichOneof") else "",
        }
    return found


def edit(col: Collection, query: str, fields: dict[str, str], tags: str = "", later: int = 5) -> None:
    """Edit the note that a query finds. Anki's times are in seconds, so wait for the next second."""
    (nid,) = col.find_notes(query)
    note = col.get_note(nid)
    for name, value in fields.items():
        note[name] = value
    changed = tags.split()  # `-tag` removes one
    added = [tag for tag in changed if not tag.startswith("-")]
    note.tags = [tag for tag in (*note.tags, *added) if f"-{tag}" not in changed]
    col.update_note(note)
    col.db.execute("update notes set mod = mod + ? where id = ?", later, nid)


def add(col: Collection, note_type: str, fields: list[str], deck: str) -> None:
    """Add a note."""
    col.models._clear_cache()
    note = col.new_note(col.models.by_name(note_type))
    note.fields = fields
    col.add_note(note, col.decks.id(deck))


def stamp(col: Collection, query: str, mod: int) -> None:
    """Set the time of the last edit of notes."""
    for nid in col.find_notes(query):
        col.db.execute("update notes set mod = ? where id = ?", mod, nid)


def rows(col: Collection) -> list[Any]:
    """Return the rows of each note, as in a backup."""
    return list(col.db.all("select mod, flds, tags, id from notes"))


def restore(col: Collection, backup: list[Any]) -> None:
    for row in backup:
        col.db.execute("update notes set mod=?, flds=?, tags=? where id=?", *row)


def remove(col: Collection, query: str = "") -> None:
    col.remove_notes(list(col.find_notes(query)))


def move(col: Collection, query: str, deck: str) -> None:
    col.set_deck(list(col.find_cards(query)), col.decks.id(deck))


def card(col: Collection, query: str) -> list[int]:
    """Return interval, queue, due day and number of reviews of a card."""
    found = _card(col, query)
    return [found.ivl, found.queue, found.due, found.reps]


def _card(col: Collection, query: str) -> Card:
    (cid,) = col.find_cards(query)
    return col.get_card(cid)


def front(col: Collection, query: str) -> str:
    """Return the front of a card, without the CSS."""
    return sides(_card(col, query))[0]


def study(col: Collection, query: str, *, days: str = "") -> None:
    """Answer a card; `days` sets when it is due again."""
    found = _card(col, query)
    answer(col, found.id, CardAnswer.GOOD)
    if days:
        col.sched.set_due_date([found.id], days)


def flag(col: Collection, query: str, flag: int) -> None:
    """Set the flag of the cards of notes: 1 is red, 0 is none."""
    col.set_user_flag_for_cards(flag, col.find_cards(query))


def flags(col: Collection) -> list[int]:
    """Return the flags of all cards."""
    return [int(col.get_card(card).user_flag()) for card in col.find_cards("")]


def suspend(col: Collection, query: str) -> None:
    col.sched.suspend_cards(list(col.find_cards(query)))


def cram(col: Collection, query: str) -> None:
    """Create the filtered deck `Cram` from these cards."""
    filtered = col.sched.get_or_create_filtered_deck(0)
    filtered.name = "Cram"
    filtered.config.search_terms[0].search = query
    col.sched.add_or_update_filtered_deck(filtered)


def empty_cram(col: Collection) -> None:
    col.sched.empty_filtered_deck(col.decks.id("Cram"))


def add_field(col: Collection, name: str, note_type: str = _OURS) -> None:
    model = _type(col, note_type)
    col.models.add_field(model, col.models.new_field(name))
    col.models.update_dict(model)


def remove_field(col: Collection, name: str) -> None:
    model = _type(col)
    col.models.remove_field(model, next(each for each in model["flds"] if each["name"] == name))
    col.models.update_dict(model)


def rename_field(col: Collection, old: str, new: str) -> None:
    model = _type(col)
    col.models.rename_field(model, next(each for each in model["flds"] if each["name"] == old), new)
    col.models.update_dict(model)


def set_css(col: Collection, css: str) -> None:
    model = _type(col)
    model["css"] = css
    col.models.update_dict(model)


def css(col: Collection) -> str:
    return str(_type(col)["css"])


def _type(col: Collection, name: str = _OURS) -> Any:
    col.models._clear_cache()
    return col.models.by_name(name)


def change_note_type(col: Collection, query: str, note_type: str) -> None:
    """Change the note type of notes to one with fields of the same names, as the browser does."""
    nids = list(col.find_notes(query))
    old, new = col.get_note(nids[0]).note_type(), _type(col, note_type)
    places = {each["name"]: each["ord"] for each in new["flds"]}
    fields = {each["ord"]: places.get(each["name"]) for each in old["flds"]}
    col.models.change(old, nids, new, fields, {number: number for number in range(len(old["tmpls"]))})


def note_types(col: Collection) -> list[str]:
    return [each.name for each in col.models.all_names_and_ids()]


def decks(col: Collection) -> dict[str, int]:
    return deck_counts(col)


def media(col: Collection) -> list[str]:
    return sorted(each.name for each in _media_files(col))


def _media_files(col: Collection) -> Iterator[Path]:
    return Path(col.media.dir()).iterdir()


def forget_media(col: Collection, name: str) -> None:
    col.media.trash_files([name])


def media_content(col: Collection, name: str) -> str:
    return Path(col.media.dir(), name).read_text()


def set_media(col: Collection, name: str, content: str) -> None:
    Path(col.media.dir(), name).write_text(content)


def import_by_hand(col: Collection, package: str, *, merge_note_types: bool = False) -> dict[str, int]:
    return import_package(col, Path(package), merge_note_types=merge_note_types)


def check(col: Collection) -> None:
    assert_healthy(col)


def reset(col: Collection) -> None:
    """Empty a collection, as if its profile were new."""
    col.remove_notes(list(col.find_notes("")))
    assert col.db
    # Anki keeps the reviews of deleted cards, and cards of a package of the same second have the same ids.
    col.db.execute("DELETE FROM revlog")
    col.decks.remove(
        [each.id for each in col.decks.all_names_and_ids(skip_empty_default=True) if each.id != 1]
    )
    stock = ("Basic", "Cloze", "Image Occlusion")
    for each in col.models.all_names_and_ids():
        if not each.name.startswith(stock):
            col.models.remove(each.id)
    for file in _media_files(col):
        file.unlink()
