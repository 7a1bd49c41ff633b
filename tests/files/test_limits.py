"""TOML and YAML from strangers are parsed only within limits on their text."""

from contextlib import nullcontext

import pytest

from ptcards.files.foreign_json import LargeDocumentError
from ptcards.files.limits import DeepKeyError, check_yaml, parse_toml


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a" + ".a" * 16 + " = 1", 0),
        ("x = 1\n[a" + ".a" * 16 + "]", 7),
        ("x = { 'a b'" + """."a.\\"b\"""" * 16 + " = 1 }", 6),
        ("a" + " . a" * 16 + " = 1", 0),
    ],
)
def test_a_key_of_toml_has_at_most_16_parts(text: str, start: int) -> None:
    with pytest.raises(DeepKeyError, match=r"^a key has more than 16 parts$") as failure:
        parse_toml(text)
    assert failure.value.start == start


def test_a_key_of_16_parts_and_a_long_text_are_read() -> None:
    assert parse_toml("a" + ".a" * 15 + f' = "{"[" * 5000}"') != {}


@pytest.mark.parametrize(("size", "said"), [(16 << 10, ""), ((16 << 10) + 1, "is larger than 16 KB")])
def test_yaml_is_at_most_16_kb(size: int, said: str) -> None:
    with pytest.raises(LargeDocumentError, match=f"^{said}$") if said else nullcontext():
        check_yaml("a" * size)
