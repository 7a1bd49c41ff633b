"""A deck from another tool: the package that learners have, and the sources that continue it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ptcards.identity.lock import Lock, Record, TypeRecord, format_lock, guid_as_id
from ptcards.workspace import Workspace
from ptcards.writers.genanki import genanki

PUBLISHED = 1_700_000_000
TYPE_ID = 1_607_392_319
FIELDS = ("Country", "Capital", "Flag", "Country info")
TEMPLATES = {
    "Country - Capital": (
        "country-capital",
        "{{Country}}<hr>",
        "{{FrontSide}}<b>{{Capital}}</b> {{Country info}}",
    ),
    "Capital - Country": ("capital-country", "{{#Capital}}{{Capital}}{{/Capital}}", "{{Country}}"),
    "Flag - Country": ("flag-country", "{{^Capital}}no capital{{/Capital}}{{Flag}}", "{{Country}}"),
}
CSS = ".card { color: navy }\n"
COLLECTION = "6f0c2c0e"


@dataclass(frozen=True)
class Country:
    """A note of the deck, with the fields in its package."""

    guid: str
    fields: tuple[str, str, str, str]


COUNTRIES = (
    Country('f"X>1 y~', ("France", "Paris", '<img src="fr flag.png">', "")),
    Country("bJ#`4,", ("Nauru", "", '<img src="nr.png">', "")),
    Country(
        "q}Z!;", ("Japan", "東京 <i>Tōkyō</i>", "", '<table style="x"><tr><td>a</table>\n [sound:jp.mp3]')
    ),
    Country("same0", ("Georgia", "Tbilisi", "", "")),
    Country("same1", ("Georgia", "Atlanta", "", "")),
)
SOURCE = """---
type: geo
---

## France
<!-- card: id={0} -->

Paris

### Flag

![](media/fr%20flag.png)

## Nauru
<!-- card: id={1} -->

### Flag

![](media/nr.png)

## Japan
<!-- card: id={2} -->

東京 *Tōkyō*

### Country info

```{{=html}}
<table style="x"><tr><td>a</table>
 [sound:jp.mp3]
```

## Georgia
<!-- card: id={3} -->

Tbilisi

## Georgia
<!-- card: id={4} -->

Atlanta
"""
MEDIA = {"fr flag.png": b"fr", "nr.png": b"nr", "jp.mp3": b"jp"}


def published(folder: Path) -> Path:
    """Write the package that learners have, made with genanki."""
    folder.mkdir(exist_ok=True)
    for name, content in MEDIA.items():
        (folder / name).write_bytes(content)
    model = genanki.Model(
        TYPE_ID,
        "Ultimate Geography",
        fields=[{"name": name} for name in FIELDS],
        templates=[
            {"name": name, "qfmt": front, "afmt": back} for name, (_, front, back) in TEMPLATES.items()
        ],
        css=CSS,
    )
    deck = genanki.Deck(7, "Geo::Capitals")
    for each in COUNTRIES:
        deck.add_note(genanki.Note(model, list(each.fields), guid=each.guid, tags=["un"]))
    package = genanki.Package([deck], [folder / name for name in MEDIA])
    package.write_to_file(folder / "old.apkg", timestamp=PUBLISHED)
    return folder / "old.apkg"


def note_type_folder(folder: Path, **changes: object) -> Path:
    """Write the note type `geo` of a collection."""
    geo = folder / "notetypes" / "geo"
    geo.mkdir(parents=True, exist_ok=True)
    document = {
        "name": "Ultimate Geography",
        "kind": "standard",
        "id": TYPE_ID,
        "fields": list(FIELDS),
        "templates": [{"name": name, "file": file} for name, (file, _, _) in TEMPLATES.items()],
    } | changes
    (geo / "notetype.json").write_text(json.dumps(document, indent=1), "utf-8")
    for file, front, back in TEMPLATES.values():
        (geo / f"{file}.front.html").write_text(front, "utf-8")
        (geo / f"{file}.back.html").write_text(back, "utf-8")
    (geo / "style.css").write_text(CSS, "utf-8")
    return geo


def imported(folder: Path, countries: Sequence[Country] = COUNTRIES) -> Path:
    """Write the collection that an import makes from the package, with its lock."""
    folder.mkdir()
    (folder / "deck.toml").write_text(f'name = "Geo"\nid = "{COLLECTION}"\ntags = ["un"]\n', "utf-8")
    (folder / "capitals.md").write_text(
        SOURCE.format(*(guid_as_id(each.guid) for each in countries)), "utf-8"
    )
    (folder / "media").mkdir()
    for name, content in MEDIA.items():
        (folder / "media" / name).write_bytes(content)
    note_type_folder(folder)
    (contents,) = Workspace.read([folder]).contents
    assert {each.rule for each in contents.diagnostics} == {"verbatim-html"}
    records = [
        Record(each.guid, PUBLISHED, live=True, fingerprint=summary.fingerprint, nid=str(1000 + n))
        for n, (each, summary) in enumerate(zip(countries, contents.summaries, strict=True))
    ]
    types = [TypeRecord(each.key, PUBLISHED, each.digest, *each.lock_columns) for each in contents.note_types]
    lock = Lock(COLLECTION, tuple(types), tuple(records))
    (folder / "deck.lock").write_text(format_lock(lock), "utf-8")
    return folder
