"""The rule `media-kilobytes`."""

from collections.abc import Callable

from rules import QUESTION, table

test_advice = table(
    # Small files.
    (
        {
            "a.md": f"{QUESTION}![A](a.png)\n",
            "a.png": "x" * 2048 * 1024,
        },
        [],
    ),
)


def test_a_large_file_is_named_where_it_is_shown(advice: Callable[..., list[str]]) -> None:
    source = f"{QUESTION}![A](a.png)\n"
    assert advice({"a.md": source, "a.png": "x" * 2049 * 1024}) == [
        "3:6+5 warning: `a.png` is 2049 KB, more than 2048"
    ]
