"""Explains how the files of a collection are read: each setting and where it comes from."""

import json
from collections.abc import Iterator
from typing import Any

from ptcards.source.collection import Collection
from ptcards.source.readers.registry import OWN
from ptcards.source.reading import Readings
from ptcards.source.source import Source


def effective_settings(collection: Collection, dialect: str = "") -> Iterator[str]:
    """Yield a line for each way in which files are read, and one for each setting that is not its default."""
    readings = Readings(collection.root, collection.config, dialect)
    ways: dict[tuple[str, tuple[tuple[str, str, str], ...]], list[Source]] = {}
    for source in collection.sources:
        name = source.reading.dialect
        said = readings.origins(name, source.name)
        options = tuple((key, _shown(value), origin) for key, value, origin in said)
        ways.setdefault((name, options), []).append(source)
    for (name, options), sources in ways.items():
        if name == OWN and len(ways) == 1:
            return
        more = f" and {len(sources) - 1:,} more" if len(sources) > 1 else ""
        yield f"{sources[0].path}{more}: dialect {name}"
        yield from (f"  {key} = {value}  ({origin})" for key, value, origin in options)


def _shown(value: Any) -> str:
    """Return a value in TOML syntax, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_shown(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
