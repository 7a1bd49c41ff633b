"""Anki's own note types, by their names in Anki's languages."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ptcards.notes import Kind

_KINDS = {"basic": Kind.BASIC, "reversed": Kind.REVERSED, "typed": Kind.TYPED, "cloze": Kind.CLOZE}
_CLOZE = re.compile(r"cloze|lücken|trous|omiss|hueco|穴埋め|填空|빈칸", re.IGNORECASE)
_REVERSED = re.compile(r"(?<!optional )reversed|(?<!wahlweise die )umgekehrt", re.IGNORECASE)
_TYPED = re.compile(r"type in", re.IGNORECASE)
_STOCK = re.compile(r"basic|cloze", re.IGNORECASE)


def kind_of(note_type: str) -> Kind:
    """Return the kind for a note type; for a name that is not Anki's own, that of the most similar one."""
    if known := _known().get(note_type.strip().casefold()):
        return known
    if _CLOZE.search(note_type):
        return Kind.CLOZE
    if _REVERSED.search(note_type):
        return Kind.REVERSED
    return Kind.TYPED if _TYPED.search(note_type) else Kind.BASIC


def is_stock(note_type: str) -> bool:
    """Whether a note type is one of Anki's own, or a copy, judging by its name."""
    return not note_type or note_type.strip().casefold() in _known() or bool(_STOCK.search(note_type))


@cache
def _known() -> Mapping[str, Kind]:
    names = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return MappingProxyType({name.casefold(): _KINDS[kind] for kind in names for name in names[kind]})
