"""Checks what an author may choose: keys, ids, languages, deck names and tags that Anki keeps unchanged."""

import re
from collections.abc import Mapping
from types import MappingProxyType

CARD_KEYS = (
    *("id", "kind", "before", "hide", "type", "difficulty", "tags", "language", "ignore", "unlike"),
    "translated",
)
FRONT_MATTER_KEYS = ("deck", "tags", "difficulty", "dialect", "question-level", "language")

ID = re.compile(r"[A-Za-z0-9._-]{1,80}")
MAX_DECK_LEVELS = 11
"""The maximum depth of a deck: Anki rejects a package with a deeper one (docs/anki.md, Decks)."""

LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""Matches the BCP 47 language tags that decks need."""

_ANKIS: Mapping[str, str] = MappingProxyType(
    {
        "marked": "notes that a learner marks with a star",
        "leech": "cards that a learner keeps forgetting",
    }
)
"""the tags that Anki itself uses, each with what it marks"""


def is_deck_level(name: str) -> bool:
    """Whether Anki keeps a name unchanged as one level of a deck name (docs/anki.md, Decks)."""
    return (
        name == name.strip()
        and "::" not in name
        and name.isprintable()
        and name.lower() not in ("", "default")
    )


def tag_fix(tag: str) -> str:
    """Return how to fix a tag that Anki would not keep unchanged."""
    if meaning := _ANKIS.get(tag.lower()):
        return f"choose another tag: Anki uses this one for {meaning}"
    commas = "separate tags with commas, or " if any(map(str.isspace, tag)) else ""
    return f"{commas}write words joined with `-` or `::`"


def is_ankis(tag: str) -> bool:
    """Whether Anki manages a tag itself."""
    return tag.lower() in _ANKIS


def bad_tag(tag: str) -> str:
    """Return why Anki would not keep a tag unchanged (docs/anki.md, Tags), or an empty string."""
    if any(c.isspace() for c in tag):
        return "it has white space"
    if '"' in tag:
        return "it has a quotation mark"
    if not tag or not all(tag.split("::")):
        return "it has an empty part next to `::`"
    if is_ankis(tag):
        return "Anki reserves this tag"
    if not tag.isprintable():
        return "it has an invisible character"
    return ""
