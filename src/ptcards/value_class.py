"""Classes of values: dataclasses that nobody changes."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True)
def value_class(cls: type[_Class]) -> type[_Class]:
    """Make a class a dataclass that may not be changed, which only the types say.

    With `frozen`, each field is set by a call, and making a large value takes two and a half times as long.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


@dataclass_transform(frozen_default=True)
def value_class_with_cache(cls: type[_Class]) -> type[_Class]:
    """Make a class such a dataclass whose instances have room for cached properties."""
    return dataclass(unsafe_hash=True)(cls)
