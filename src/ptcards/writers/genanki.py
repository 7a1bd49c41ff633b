"""Imports genanki without dependencies that we never use.

They take half of its import time (measured).

The package `cached_property` imports asyncio to support coroutines; the standard library's version is enough
for genanki. PyYAML is for fields written as YAML, and is loaded when it is first used.
"""

import functools
import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType


def _load_lazily(name: str) -> None:
    """Load a module when it is first used."""
    spec = find_spec(name) if name not in sys.modules else None
    if spec is not None and spec.loader is not None:
        spec.loader = LazyLoader(spec.loader)
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)


_stands_in = "cached_property" not in sys.modules
_load_lazily("yaml")
if _stands_in:
    sys.modules["cached_property"] = ModuleType("cached_property")
    vars(sys.modules["cached_property"])["cached_property"] = functools.cached_property

import genanki  # noqa: E402 - after the replacements for its imports
from genanki.apkg_col import APKG_COL  # noqa: E402
from genanki.apkg_schema import APKG_SCHEMA  # noqa: E402

if _stands_in:
    del sys.modules["cached_property"]

__all__ = ["APKG_COL", "APKG_SCHEMA", "genanki"]
