"""Folders of other tools are named, and what does not belong to their cards changes nothing."""

import json
from collections.abc import Callable
from pathlib import Path

from conftest import Ran

Run = Callable[..., Ran]
Write = Callable[[dict[str, str]], Path]

_PLUGIN = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
_TOML = 'name = "D"\nid = "d"\ndialect = "obsidian"\n'
_MERGE = "<<<<<<< HEAD\nopen\n=======\nask\n>>>>>>> branch-a\n"


def test_a_graph_of_logseq_is_named_and_its_backups_are_never_read(ptcards: Run, write: Write) -> None:
    outline = "".join(f"- ## Why {n}?\n\t- So.\n" for n in range(9))
    root = write({"logseq/config.edn": "{}", "logseq/bak/pages/a.md": outline, "pages/a.md": outline})
    for command in ("check", "build"):
        ran = ptcards(command, root)
        said = ran.out + ran.err
        assert (ran.status, "details:item" in said, "bak" in said) == (1, False, False)
        assert "error[foreign-format] this looks like Logseq: it has `logseq/config.edn`" in said
    (root / "pages" / "b.md").write_text("## What is it?\n\nIt is this, because of that.\n", "utf-8")
    assert "1 note" in ptcards("build", "--dry-run", "-v", root).err


def test_crowdanki_is_named_beside_a_readme(ptcards: Run, write: Write) -> None:
    root = write({"deck/deck.json": '{"__type__": "Deck", "crowdanki_uuid": "x"}', "README.md": "# A deck\n"})
    said = "error[foreign-format] this looks like CrowdAnki: `deck/deck.json`"
    for command, status in (("check", 1), ("import", 2)):
        ran = ptcards(command, root)
        assert (ran.status, said in ran.out + ran.err) == (status, True)


def test_a_pointer_of_git_lfs_is_named(ptcards: Run, write: Write) -> None:
    root = write({"x.apkg": "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 3\n"})
    ran = ptcards("import", root / "x.apkg", root / "out")
    assert (ran.status, "this is a pointer of Git LFS" in ran.err, "`git lfs pull`" in ran.err) == (
        2,
        True,
        True,
    )


def test_a_merge_in_a_file_without_cards_is_a_warning_in_a_vault(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": _TOML, "a.md": "#flashcards\n\nWhat?::That.\n", "b.md": f"Prose.\n\n{_MERGE}"})
    ran = ptcards("check", root)
    assert (ran.status, "warning[conflict-marker]" in ran.out, ptcards("build", root).status) == (0, True, 0)
    (root / "b.md").write_text(f"#flashcards\n\nWho?::He.\n\n{_MERGE}", "utf-8")
    assert "error[conflict-marker]" in ptcards("check", root).out


def test_clozes_with_the_marks_of_the_settings_are_read(ptcards: Run, write: Write) -> None:
    patterns = ["==[123;;]answer[;;hint]==", "__[123;;]answer[;;hint]__"]
    data = json.dumps({"settings": {"clozePatterns": patterns}})
    text = "#flashcards\n\nIt is __blue__ here.\n\nIt is __2;;red;;colour__ there.\n"
    root = write({"deck.toml": _TOML, _PLUGIN: data, "a.md": text})
    assert ptcards("build", root, "--format", "csv", "-o", root / "out").status == 0
    (table,) = (root / "out").glob("*.csv")
    written = table.read_text("utf-8")
    assert ("It is {{c1::blue}} here." in written, "It is {{c2::red::colour}} there." in written) == (
        True,
        True,
    )
