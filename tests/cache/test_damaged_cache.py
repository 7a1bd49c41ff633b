"""A damaged, foreign or unreadable cache is rebuilt and reported in a line, never with a traceback."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import cache_damage
from conftest import Ran

Ptcards = Callable[..., Ran]


@pytest.fixture
def site(tmp_path: Path) -> cache_damage.Site:
    site = cache_damage.Site(tmp_path / "site")
    site.restore()
    return site


def test_builds_survive_some_damages_of_each_kind(site: cache_damage.Site) -> None:
    damages = list(cache_damage.damages(site.cache, seed=0))
    assert cache_damage.failures(site, damages[::250]) == []


def test_only_its_owner_reads_the_cache_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        site = cache_damage.Site(tmp_path / "site")
    finally:
        os.umask(before)
    assert cache_damage.modes(site.cache) == {("folder", 0o700), ("file", 0o600)}


def test_a_cache_that_others_can_write_is_named_with_the_way_out(
    ptcards: Ptcards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "a.md").write_text("## One?\n\n1\n")
    (tmp_path / "ptcards").mkdir()
    (tmp_path / "ptcards").chmod(0o777)
    ran = ptcards("build", tmp_path / "a.md", "-o", tmp_path / "out")
    assert ran.err.splitlines()[0] == "ignoring the cache: others can write to `ptcards`; delete it"
    assert ran.status == 0
    assert list((tmp_path / "ptcards").iterdir()) == []


def test_a_damaged_cache_is_named_once_and_rebuilt(site: cache_damage.Site) -> None:
    for file in site.cache.rglob("*"):
        if file.is_file():
            file.write_bytes(b"I am not a database. " * 99)
    said = [site.build().err for _ in range(2)]
    assert [each.count(" the cache: ") for each in said] == [1, 0]
