"""Runs the rule that a test file is named after over sources."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ptcards.extensions import extensions
from ptcards.lint.check import check
from ptcards.lint.registry import all_messages
from rules import Sources


@pytest.fixture
def advice(
    request: pytest.FixtureRequest, write: Callable[..., Path], tmp_path: Path
) -> Callable[..., list[str]]:
    """Return the rule's findings in sources, as `line:column+length severity: message`."""
    name = request.path.stem.removeprefix("test_").replace("_", "-")
    if name not in all_messages() and not extensions():
        pytest.skip("the rule is one of an extension")
    assert name in all_messages(), "a test file is named after its rule"

    def run(sources: Sources, limits: Mapping[str, int] | None = None) -> list[str]:
        files = {"a.md": sources} if isinstance(sources, str) else sources
        settings = f'name = "Deck"\nid = "i"\n[check]\nenable = ["{name}"]\n[check.limits]\n'
        settings += "".join(f"{limit} = {number}\n" for limit, number in (limits or {}).items())
        root = write({"deck.toml": settings, **files})
        lines = [
            f"{each.location.line}:{each.location.column}+{each.length} {each.severity}: {each.message}"
            for each in check([root])[1]
            if each.rule == name
        ]
        return [line.replace(f"{tmp_path.as_posix()}/", "") for line in lines]

    return run
