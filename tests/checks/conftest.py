"""Runs one rule, the one that the test file is named after, over sources."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ptcards.cache import Cache
from ptcards.lint.check import check_source, check_together
from ptcards.lint.note import read
from ptcards.lint.registry import all_rules
from ptcards.source.collection import read_source
from ptcards.source.config import CheckConfig
from ptcards.workspace import Workspace


@pytest.fixture
def advice(
    request: pytest.FixtureRequest, write: Callable[..., Path], tmp_path: Path
) -> Callable[..., list[str]]:
    """Give what the rule says about a source, or about several by name: `line:column+length severity: message`."""
    name = request.path.stem.removeprefix("test_").replace("_", "-")
    assert name in all_rules(), "a test file is named after its rule"

    def run(
        sources: str | Mapping[str, str | bytes],
        limits: Mapping[str, int] | None = None,
    ) -> list[str]:
        files = sources if isinstance(sources, Mapping) else {"a.md": sources}
        root = write({"deck.toml": 'name = "Deck"\nid = "i"\n', **files})
        (contents,) = Workspace.read([root], Cache(None)).contents
        config = CheckConfig(enable=(name,), limits=limits or {})
        texts = [source for each in contents.sources if (source := read_source(each.source).source)]
        found = [
            each
            for source in texts
            for each in check_source(
                [read(note)[0] for note in contents.notes if note.location.path == source.path],
                source.path,
                source.text,
                config,
            )
        ]
        found += check_together(contents.notes, config, selected=contents.collection.is_selected)
        return [
            f"{each.location.line}:{each.location.column}+{each.length} {each.severity}: {each.message}".replace(
                f"{tmp_path}/", ""
            )
            for each in found
            if each.rule == name
        ]

    return run
