"""JSON from strangers is built only within limits on its size and its number of values."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json


def _count(value: Any) -> int:
    """Return the number of values and keys in a document."""
    if isinstance(value, dict):
        return 1 + sum(1 + _count(each) for each in value.values())
    return 1 + (sum(map(_count, value)) if isinstance(value, list) else 0)


@pytest.mark.parametrize(
    "document",
    [
        None,
        "a, [b], {c}",
        'a "quoted, text"',
        "\\",
        '\\"',
        [],
        [[], {}, [[]]],
        [1, -2.5e10, True, None, "x"],
        {"a": 1, "b": {"c": [1, 2, "3,4"]}},
        {'"': "\\", "\\": '"', "[": "{"},
        ["ü", "🙂", "\u0000"],
    ],
)
@pytest.mark.parametrize("is_ascii", [True, False])
def test_values_and_keys_are_counted_outside_texts(document: Any, *, is_ascii: bool) -> None:
    content = json.dumps(document, ensure_ascii=is_ascii, indent=1).encode()
    limit = JsonLimit(1000, 1000, _count(document))
    assert build_json(content, limit) == document
    with pytest.raises(LargeDocumentError, match=f"^has over {limit.values - 1} values$"):
        build_json(content, limit._replace(values=limit.values - 1))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'"%s"' % (b"a" * (3 << 20)), "is larger than 2 MB"),
        (b'"%s"' % ("ü" * (1 << 19)).encode(), ""),
        (b'"%s"' % ("ш" * (1 << 19)).encode(), "is larger than 1 MB"),
        (b'"%s\\u0448"' % (b"a" * (1 << 20)), "is larger than 1 MB"),
        (b'"%s"' % (b"a" * (1 << 20)), ""),
    ],
)
def test_texts_that_take_four_bytes_for_a_letter_have_a_smaller_limit(content: bytes, said: str) -> None:
    limit = JsonLimit(2 << 20, 1 << 20, 10)
    expected = pytest.raises(LargeDocumentError, match=f"^{said}$") if said else nullcontext()
    with expected:
        build_json(content, limit)
