"""Flags that a learner sets in a desktop Anki are read from its own exports."""

from pathlib import Path

import pytest

from pushing import World, anki, pushed, query, shared, wait_for, world

__all__ = ["anki", "pushed", "shared", "world"]

pytestmark = pytest.mark.parametrize(
    "shared", [pytest.param("desktop", marks=pytest.mark.desktop)], indirect=True
)


def flag_in_browser(pushed: World, key: str, flag: int) -> None:
    """Flag the card of a note in the browser, which searches only after its window is open."""
    pushed.do("select", query(key))
    wait_for(lambda: f"What is {key}?" in pushed.do("current_in_browser"))
    pushed.do("flag_selected", flag)


@pytest.mark.parametrize("suffix", ["apkg", "colpkg"])
def test_flags_of_a_desktop_anki_are_read_from_its_export(
    pushed: World, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed.do("suspend", f"-{query('a2')}")
    pushed.do("review", "Mini")
    wait_for(lambda: pushed.do("state") == "review")
    pushed.do("flag_shown", 1)
    wait_for(lambda: sorted(pushed.do("flags")) == [*[0] * 13, 1])
    flag_in_browser(pushed, "b1", 1)
    wait_for(lambda: sorted(pushed.do("flags")) == [*[0] * 12, 1, 1])
    flag_in_browser(pushed, "a4", 3)
    wait_for(lambda: sorted(pushed.do("flags")) == [*[0] * 11, 1, 1, 3])
    file = tmp_path / f"ann.{suffix}"
    pushed.do("export", str(file))
    wait_for(lambda: str(file) in pushed.do("exported"))
    monkeypatch.setenv("PTCARDS_ANKI_URL", "http://127.0.0.1:9")
    ran = pushed.run("inbox", pushed.folder, file)
    assert (ran.status, ran.err) == (0, "")
    assert sorted(line.partition("  ")[2] for line in ran.out.split("\n")) == [
        "",
        "    from ann." + suffix,
        "    from ann." + suffix,
        "deck/a.md:13: What is a2? [red flag]",
        "deck/b.md:8: What is b1? [red flag]",
    ]
