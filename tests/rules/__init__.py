"""A file for each rule that advises, named after it: a table of sources and what the rule says about each."""

from collections.abc import Callable, Mapping

import pytest

QUESTION = "## Which call clears the gradients?\n\n"
"""The heading of most sources: no rule advises against it."""

Sources = str | Mapping[str, str | bytes]
"""One source, or several by name."""


def table(*rows: tuple[Sources, list[str]]) -> Callable[..., None]:
    """Return a test that the file's rule says about each source what the table says."""

    @pytest.mark.parametrize(("sources", "expected"), rows)
    def test(advice: Callable[[Sources], list[str]], sources: Sources, expected: list[str]) -> None:
        assert advice(sources) == expected

    return test
