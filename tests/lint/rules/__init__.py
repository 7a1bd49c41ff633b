"""Tests of rules that give advice.

Each rule has its own file, with a table of sources and the findings in each.
"""

from collections.abc import Callable, Mapping

import pytest

QUESTION = "## Which call clears the gradients?\n\n"
"""The heading of most sources, which no rule reports."""

Sources = str | Mapping[str, str | bytes]
"""One source, or several by name."""


def table(*rows: tuple[Sources, list[str]]) -> Callable[..., None]:
    """Return a test that compares the rule's findings in each source with the table."""

    @pytest.mark.parametrize(("sources", "expected"), rows)
    def test(advice: Callable[[Sources], list[str]], sources: Sources, expected: list[str]) -> None:
        assert advice(sources) == expected

    return test
