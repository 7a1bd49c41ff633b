"""Compares an author's note type with the learner's: which fields and templates are the same, and looks."""

import re
from collections.abc import Iterator, Sequence

from ptcards.extensions.desktop.merge.compare import look_digest
from ptcards.extensions.publish.subscription.package import AnkiNoteType, AnkiTemplate

_SPECIAL_FIELDS = frozenset("FrontSide Tags Type Deck Subdeck Card CardFlag CardID".split())
_IN_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")


def places_of(ours: Sequence[tuple[int, str]], theirs: Sequence[tuple[int, str]]) -> tuple[int | None, ...]:
    """Return for each field or template in Anki the place of the author's, found by id, then by name.

    Both are ids and names. It is `None` for one of the learner's own.
    """
    by_id = {identity: place for place, (identity, _) in enumerate(ours) if identity}
    by_name = {name: place for place, (_, name) in enumerate(ours)}
    found = [by_id.get(identity) for identity, _ in theirs]
    for number, (_, name) in enumerate(theirs):
        place = by_name.get(name)
        if found[number] is None and place not in found:
            found[number] = place
    return tuple(found)


def in_order(fields: Sequence[str], places: Sequence[int | None], others: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of a note in Anki in the author's order, and `others` where Anki has no field."""
    ordered = list(others)
    for text, place in zip(fields, places, strict=True):
        if place is not None:
            ordered[place] = text
    return tuple(ordered)


def _templates(kind: AnkiNoteType) -> list[tuple[int, str]]:
    return [(each.id, each.name) for each in kind.templates]


def template_places(kind: AnkiNoteType, there: AnkiNoteType) -> tuple[int | None, ...]:
    """Return for each template in Anki the place of the author's, `None` for one of the learner's own."""
    return places_of(_templates(kind), _templates(there))


def templates_here(kind: AnkiNoteType, there: AnkiNoteType) -> tuple[AnkiTemplate, ...]:
    """Return the templates of the note type in Anki with the author's look; the learner's own stay."""
    places = template_places(kind, there)
    both = [*zip(there.templates, places, strict=True)]
    own = {template.name for template, place in both if place is None}
    found = []
    for template, place in both:
        new = template if place is None else kind.templates[place]
        name = template.name if new.name in own else new.name
        found.append(new._replace(id=template.id, name=name))
    return tuple(found)


def look_of(note_type: AnkiNoteType) -> str:
    """Return the digest of the look of a note type, as in a feed."""
    return look_digest(note_type.css, [(each.name, each.front, each.back) for each in note_type.templates])


def with_look(there: AnkiNoteType, kind: AnkiNoteType, fields: Sequence[int | None]) -> AnkiNoteType:
    """Return the note type in Anki with the author's look and names; what only one of them has stays.

    `fields` are the places of the author's fields, as `places_of` returns them.
    """
    named = tuple(
        (identity, name if place is None else kind.names[place])
        for (identity, name), place in zip(there.fields, fields, strict=True)
    )
    return there._replace(css=kind.css, fields=named, templates=templates_here(kind, there))


def look_here(kind: AnkiNoteType, there: AnkiNoteType) -> str:
    """Return the digest of the look of the note type in Anki after it got the author's."""
    return look_of(there._replace(css=kind.css, templates=templates_here(kind, there)))


def fits(kind: AnkiNoteType, there: AnkiNoteType, fields: Sequence[int | None]) -> bool:
    """Whether the author's templates only use fields that the learner's note type has.

    `fields` are the places of the author's fields. Templates that are not in Anki do not count.
    """
    names = {name for _, name in there.fields} | _SPECIAL_FIELDS
    names |= {kind.names[place] for place in fields if place is not None}
    used = {
        text.strip("#^/ ").rpartition(":")[2].strip()
        for template in templates_here(kind, there)
        for side in template[2:]
        for text in _IN_TEMPLATE.findall(side)
        if not text.startswith("!")
    }
    return used <= names | {""}


def left_out(
    kind: AnkiNoteType, there: AnkiNoteType, fields: Sequence[int | None]
) -> Iterator[tuple[str, str]]:
    """Yield a key and the name of each of the author's fields and templates that the learner's type lacks."""
    templates = template_places(kind, there)
    for place, (identity, name) in enumerate(kind.fields):
        if place not in fields:
            yield f"{kind.id} field {identity or name}", name
    for place, template in enumerate(kind.templates):
        if place not in templates:
            yield f"{kind.id} template {template.id or template.name}", template.name
