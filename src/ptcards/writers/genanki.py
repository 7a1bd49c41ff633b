"""Imports genanki without the dependencies that we never use.

They add 35 ms of CPU to the start of a build (measured).

The package `cached_property` imports asyncio to support coroutines; the standard library's version is enough
for genanki. PyYAML is for fields written as YAML; it is imported when it is first used.
"""

import functools
import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

_STAND_INS: Mapping[str, Mapping[str, object]] = {
    "cached_property": {"cached_property": functools.cached_property},
    "yaml": {"__getattr__": lambda name: getattr(import_module("yaml"), name)},
}
_stand_ins = [name for name in _STAND_INS if name not in sys.modules]
for _name in _stand_ins:
    sys.modules[_name] = ModuleType(_name)
    vars(sys.modules[_name]).update(_STAND_INS[_name])

import genanki  # noqa: E402 - after the replacements for its imports
from genanki.apkg_col import APKG_COL  # noqa: E402
from genanki.apkg_schema import APKG_SCHEMA  # noqa: E402

for _name in _stand_ins:
    del sys.modules[_name]

__all__ = ["APKG_COL", "APKG_SCHEMA", "genanki"]
