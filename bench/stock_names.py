"""Writes `stock_names.json` of `dialects`: what Anki calls its own note types and their fields.

    python bench/stock_names.py

The names are the translations in the PyPI package `anki`, in all languages that Anki can be set to. Those
that the file already has stay: translations change, and decks keep the names of the version that made them.
The file has the names of 2.1.54, 2.1.57, 2.1.60, 2.1.66, 23.10.1, 23.12, 24.4.1, 24.6.3, 24.11, 25.2.7,
25.9.2 and 26.9.3.
"""

import json
from pathlib import Path

import anki.lang
from anki.collection import Collection  # noqa: F401 - anki.lang cannot be imported alone

TARGET = Path(__file__).parent.parent / "src/ptcards/extensions/dialects/stock_names.json"
NAMES = {
    "basic": "notetypes_basic_name",
    "reversed": "notetypes_basic_reversed_name",
    "optional": "notetypes_basic_optional_reversed_name",
    "typed": "notetypes_basic_type_answer_name",
    "cloze": "notetypes_cloze_name",
    "occlusion": "notetypes_image_occlusion_name",
    "question": "notetypes_front_field",
    "answer": "notetypes_back_field",
}
OLDER = {"reversed": ["Basique (et envers de la carte)"], "optional": ["Basique (envers facultatif)"]}
"""Names of older versions, from public decks."""


def stock_names() -> dict[str, list[str]]:
    """Return Anki's names in all languages, by what they name: kinds of notes, and the two fields of most."""
    found = {kind: {*OLDER.get(kind, ())} for kind in NAMES}
    for _, language in anki.lang.langs:
        anki.lang.set_lang(language)
        for kind, name in NAMES.items():
            # Image occlusion is newer than some versions.
            if hasattr(anki.lang.tr_legacyglobal, name):
                found[kind].add(getattr(anki.lang.tr_legacyglobal, name)())
    return {kind: sorted(names) for kind, names in found.items()}


if __name__ == "__main__":
    known = json.loads(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    names = {kind: sorted({*each, *known.get(kind, ())}) for kind, each in stock_names().items()}
    TARGET.write_text(json.dumps(names, ensure_ascii=False, indent=1) + "\n", "utf-8")
