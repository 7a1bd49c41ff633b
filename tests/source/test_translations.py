"""Translations: `tensors.de.md` beside `tensors.md`, with decks and GUIDs of its own."""

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import import_package, learner, notes_by_guid
from conftest import Ran

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

SETTINGS = (
    'name = "PyTorch"\nid = "c0ffee"\nlicense = "MIT"\nlanguage = "en"\n\n[languages]\nde = "Deutsch"\n'
)
TENSORS = (
    "## What is a view?\n<!-- card: id=view -->\n\nA tensor that shares data.\n\n### Hint\n\nThink of memory.\n\n"
    "## What is a stride?\n<!-- card: id=stride -->\n\nA step in memory.\n"
)
TENSOREN = (
    "## Was ist eine View?\n<!-- card: id=view -->\n\nEin Tensor, der Daten teilt.\n\n"
    "### Hint\n\nDenk an den Speicher.\n"
)
FILES = {
    "deck.toml": SETTINGS,
    "basics/tensors.md": TENSORS,
    "autograd.md": "# Autograd\n\n## What is a leaf?\n\nA tensor without `grad_fn`.\n",
    "basics/tensors.de.md": TENSOREN,
}


def findings(ran: Ran) -> list[str]:
    """Return the lines of a report with their place, rule and message."""
    return [line for line in ran.out.splitlines() if re.match(r"\S+:\d+:\d+: ", line)]


def rows(file: Path) -> list[tuple[str, str, str, str]]:
    """Return the key, GUID, deck and question of each note in a CSV file."""
    with file.open(encoding="utf-8-sig") as stream:
        return [(row["key"], row["guid"], row["deck"], row["question"]) for row in csv.DictReader(stream)]


def test_a_build_writes_each_translation_as_a_deck_of_its_own(write: Write, ptcards: Run) -> None:
    root = write(FILES)
    assert ptcards("build", root, "--format", "csv").err.partition("Created")[2] == (
        " deck.lock (commit it)\n"
        "Built PyTorch: 3 notes, 3 cards in 0.00 s\n"
        "  +4 new\n"
        "  build/pytorch.csv  1 kB\n"
        "Built PyTorch, de: 1 note, 1 card in 0.00 s\n"
        "  build/pytorch-de.csv  1 kB\n"
    )
    original, translated = (rows(root / "build" / name) for name in ("pytorch.csv", "pytorch-de.csv"))
    assert [(key, deck, question) for key, _, deck, question in (*original, *translated)] == [
        ("what-is-a-leaf", "PyTorch::Autograd", "What is a leaf?"),
        ("view", "PyTorch::Basics::Tensors", "What is a view?"),
        ("stride", "PyTorch::Basics::Tensors", "What is a stride?"),
        ("view.de", "PyTorch (Deutsch)::Basics::Tensors", "Was ist eine View?"),
    ]
    assert len({guid for _, guid, *_ in (*original, *translated)}) == 4


def test_a_translation_can_be_built_alone_and_an_edition_has_none(write: Write, ptcards: Run) -> None:
    root = write(
        {**FILES, "deck.toml": f'{SETTINGS}\n[[editions]]\nname = "basics"\nsources = ["basics/"]\n'}
    )
    for options in (["--edition", "de"], ["--edition", "basics"]):
        assert ptcards("build", root, *options, "--format", "csv").status == 0
    files = {file.name: [key for key, *_ in rows(file)] for file in sorted((root / "build").glob("*.csv"))}
    assert files == {"pytorch-basics.csv": ["view", "stride"], "pytorch-de.csv": ["view.de"]}
    assert ptcards("build", root / "basics" / "tensors.de.md", "--format", "csv").err.endswith(
        "Built PyTorch, de: 1 note, 1 card in 0.00 s\n  build/pytorch-tensors-de-de.csv  1 kB\n"
    )


def test_the_lock_has_a_record_for_each_language_and_a_rewording_keeps_both(
    write: Write, ptcards: Run
) -> None:
    root = write(FILES)
    ptcards("build", root)
    before = {key: guid for key, guid, *_ in rows(root / "build" / "pytorch-de.csv")}
    lock = (root / "deck.lock").read_text("utf-8")
    assert sorted(re.findall(r"\t(view\S*|stride\S*)\tPyTorch", lock)) == ["stride", "view", "view.de"]
    write({"basics/tensors.de.md": TENSOREN.replace("Was ist eine View?", "Was bedeutet View?")})
    assert "~1 changed" in ptcards("build", root).err
    assert {key: guid for key, guid, *_ in rows(root / "build" / "pytorch-de.csv")} == before


def test_cards_of_a_translation_have_labels_in_its_language(
    write: Write, ptcards: Run, tmp_path: Path
) -> None:
    root = write(FILES)
    assert ptcards("build", root, "--format", "apkg", "--format", "html").status == 0
    with learner(tmp_path / "learner") as collection:
        for name in ("pytorch", "pytorch-de"):
            import_package(collection, root / "build" / f"{name}.apkg")
        assert {
            collection.decks.name(card.did): shown(collection, card.id) for card in cards(collection)
        } == {
            "PyTorch::Autograd": "",
            "PyTorch::Basics::Tensors": "",
            "PyTorch (Deutsch)::Basics::Tensors": 'lang="de"',
        }
        described = [collection.decks.by_name(name) for name in ("PyTorch", "PyTorch (Deutsch)")]
        assert [deck and deck["desc"] for deck in described] == ["License: MIT", "License: MIT"]
    page = (root / "build" / "pytorch-de.html").read_text("utf-8")
    data = json.loads(re.findall(r'<script[^>]* id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
    assert (data["name"], data["id"]) == ("PyTorch (Deutsch)", "c0ffee")
    assert '<html lang="de"' in page


def cards(collection: Collection) -> list[Collection]:
    """Return one card of each note."""
    return [note.cards()[0] for note in notes_by_guid(collection).values()]


def shown(collection: Collection, cid: int) -> str:
    """Return the language that a card names for its question."""
    found = re.search(r'lang="de"', collection.get_card(cid).question())
    return found[0] if found else ""


def test_check_says_what_is_missing_in_one_line_for_each_file(write: Write, ptcards: Run) -> None:
    root, here = write(FILES), "basics/tensors.de.md:1"
    lacks, original = "not translated", "the original at basics/tensors.md:1:1"
    assert findings(ptcards("check", root, "-v")) == [
        f"{here}:1: hint[not-translated] 1 note of `basics/tensors.md` {lacks}: `stride`",
        f"{here}:4: hint[outdated-translation] {original} may have changed after this was translated",
        f"deck.toml:7:1: hint[not-translated] 1 file {lacks}: `autograd.md`",
    ]
    write({"basics/tensors.de.md": TENSOREN.replace("id=view", "id=veiw"), "autograd.de.md": "# Autograd\n"})
    assert findings(ptcards("check", root, "-v"))[1:] == [
        f"{here}:1: hint[not-translated] 2 notes of `basics/tensors.md` {lacks}: `view`, `stride`",
        f"{here}:4: warning[no-original] no other note has the key `veiw`, so this translates nothing",
    ]


def test_a_translation_is_out_of_date_until_its_author_says_that_it_is_not(
    write: Write, ptcards: Run
) -> None:
    root = write(FILES)
    assert ptcards("keep", root, "--translated", "view").err == (
        "Wrote `translated=595fd82b` to basics/tensors.de.md:1\n"
    )
    text = (root / "basics" / "tensors.de.md").read_text("utf-8")
    assert text == TENSOREN.replace("id=view", "id=view translated=595fd82b")
    assert [each for each in findings(ptcards("check", root, "-v")) if "translation]" in each] == []
    write({"basics/tensors.md": TENSORS.replace("shares data", "shares memory")})
    assert [each for each in findings(ptcards("check", root, "-v")) if "translation]" in each] == [
        (
            "basics/tensors.de.md:1:4: warning[outdated-translation] the original at basics/tensors.md:1:1 changed "
            "after this was translated"
        ),
    ]
    assert ptcards("keep", root, "--translated", "--all").status == 0
    assert [each for each in findings(ptcards("check", root, "-v")) if "translation]" in each] == []
    assert ptcards("keep", root, "--translated", "--all").err == ""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["veiw"], "error: `veiw` is not the key of a translation\nhelp: did you mean `view`?\n"),
        ([], "error: nothing says which translations\nhelp: name their keys, or use `--all`\n"),
    ],
)
def test_a_key_must_be_that_of_a_translation(
    keys: list[str], message: str, write: Write, ptcards: Run
) -> None:
    assert ptcards("keep", write(FILES), "--translated", *keys).err == message


def test_a_copy_that_is_not_translated_yet_leaves_the_original_its_key(write: Write, ptcards: Run) -> None:
    root = write(FILES)
    ptcards("build", root)
    before = rows(root / "build" / "pytorch.csv")
    write({"autograd.de.md": FILES["autograd.md"]})
    ran = ptcards("check", root, "-v")
    assert "autograd.de.md:3:4: warning[no-original] " in ran.out
    assert ptcards("build", root).status == 0
    assert rows(root / "build" / "pytorch.csv") == before


def test_find_and_diff_show_translations(write: Write, ptcards: Run) -> None:
    root = write(FILES)
    ptcards("build", root)
    old = shutil.copytree(root, root.parent / "old")
    assert ptcards("find", "View", "--in", root).out == (
        "basics/tensors.md:1: What is a view?\nbasics/tensors.de.md:1: Was ist eine View?\n"
    )
    write({"basics/tensors.de.md": TENSOREN.replace("teilt", "mitbenutzt")})
    assert "Was ist eine View?  (basics/tensors.de.md:1)" in ptcards("diff", root, old).out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('de = "a::b"', "error[wrong-value] `languages` must be a table of language codes with names"),
        ('German = "Deutsch"', "error[wrong-value] `languages` must be a table of language codes with names"),
        (
            'de = "Deutsch"\n[[editions]]\nname = "de"',
            "error[wrong-value] `de` is the name of another edition or of a language",
        ),
    ],
)
def test_a_mistake_in_the_languages_is_an_error(table: str, message: str, write: Write, ptcards: Run) -> None:
    root = write({**FILES, "deck.toml": SETTINGS.replace('de = "Deutsch"', table)})
    assert message in "\n".join(findings(ptcards("check", root, "-v")))
