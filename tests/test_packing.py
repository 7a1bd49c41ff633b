"""Values packed by their type come back as they were."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ptcards.packing import pack, unpack


class Size(StrEnum):
    """An enum."""

    SMALL = "small"


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A dataclass with a single field."""

    text: Point


@dataclass(frozen=True, slots=True)
class Style:
    """A dataclass with defaults; two files are equal wherever they are."""

    size: Size = Size.SMALL
    file: Path = field(default=Path(), compare=False)
    points: tuple[Point, ...] = ()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("text", str),
        (None, Size | None),
        (Size.SMALL, Size | None),
        (7, int | str),
        (frozenset({"a"}), frozenset[str]),
        ({("a", "b"): 1}, dict[tuple[str, str], int]),
        ({"a": Point(1)}, dict[str, Point]),
        ([("a", Point(1, 2), None)], list[tuple[str, Point, Point | None]]),
        ((Name(Point(1)), Name(Point(2))), tuple[Name, ...]),
        ([Style(), Style(points=(Point(3),))], list[Style]),
    ],
)
def test_a_value_comes_back_as_it_was(value: Any, kind: Any) -> None:
    back = unpack(pack(value, kind), kind)
    assert (back, repr(back)) == (value, repr(value))


def test_a_field_that_does_not_count_when_comparing_comes_back_too() -> None:
    assert unpack(pack(Style(file=Path("a.css")), Style), Style).file == Path("a.css")
