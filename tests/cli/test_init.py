"""`ptcards init`."""

import os
import re
import subprocess
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import click
import pytest
import yaml

from conftest import NEW_LOCK, NEXT, Ran
from ptcards.cli import init
from ptcards.notes import Kind
from ptcards.workspace import Workspace

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = re.compile(
    r'name = "My deck"\nid = "[0-9a-f]{8}"  # identifies this collection in Anki; never change it\n'
)


def test_a_new_collection_builds_without_a_word(ptcards: Run, tmp_path: Path) -> None:
    ran = ptcards("init", tmp_path / "my-deck")
    assert ran == Ran(
        0,
        "",
        "Created my-deck/deck.toml\n"
        "Created my-deck/first-steps.md\n"
        "Created my-deck/.gitattributes\n"
        "Created my-deck/.gitignore\n"
        "Next: preview the cards while you write, then build the deck for Anki:\n"
        "  ptcards serve my-deck --open\n"
        "  ptcards build my-deck\n",
    )
    assert TOML.fullmatch((tmp_path / "my-deck" / "deck.toml").read_text())
    assert (tmp_path / "my-deck" / ".gitattributes").read_text() == "deck.lock merge=union\n"
    assert ptcards("build", tmp_path / "my-deck", "-o", tmp_path / "out").err == (
        NEW_LOCK
        + "Built My deck: 3 notes, 4 cards in 0.00 s\n  +3 new\n  out/my-deck.apkg  1 kB\n  out/my-deck.csv   1 kB\n"
        + NEXT
    )


@pytest.mark.parametrize(
    ("field", "kinds"),
    [
        ("code", [Kind.BASIC, Kind.TYPED, Kind.CHOICE]),
        ("language", [Kind.REVERSED, Kind.REVERSED, Kind.CLOZE, Kind.TYPED]),
        ("law", [Kind.CLOZE, Kind.BASIC, Kind.CHOICE]),
        ("biology", [Kind.SET, Kind.TYPED, Kind.SEQUENCE, Kind.BASIC]),
    ],
)
def test_the_sample_of_a_field_shows_the_kinds_that_suit_it_and_has_nothing_wrong(
    ptcards: Run, tmp_path: Path, field: str, kinds: list[Kind]
) -> None:
    deck = tmp_path / "my-deck"
    assert "Created my-deck/first-steps.md\n" in ptcards("init", deck, "--sample", field).err
    assert ptcards("check", deck, "--strict") == Ran(
        0, "", f"Checked {len(kinds)} notes: nothing to report\n"
    )
    (contents,) = Workspace.read([deck]).contents
    assert [note.kind for note in contents.notes] == kinds
    assert ptcards("build", deck).status == 0


def test_there_is_a_sample_for_each_field_and_no_other() -> None:
    files = resources.files("ptcards.cli").joinpath("new_deck").iterdir()
    names = [re.fullmatch(r"sample-(\w+)\.md", file.name) for file in files]
    sample = next(each for each in init.command.params if each.name == "sample")
    assert isinstance(sample.type, click.Choice)
    assert {name[1] for name in names if name} == set(sample.type.choices)


def test_a_sample_is_not_written_beside_notes(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": 'name = "Deck"\nid = "deck"\n', "a.md": "## One?\n\n1\n"})
    ran = ptcards("init", root, "--sample", "law")
    assert ran.err == (
        "Created .gitattributes\n"
        "Created .gitignore\n"
        "note: `.` already has notes, so the sample was not written\n"
        "Next: preview the cards while you write, then build the deck for Anki:\n"
        "  ptcards serve . --open\n"
        "  ptcards build .\n"
    )
    assert not (root / "first-steps.md").exists()


FORM = (
    "https://github.com/Ann/geo-deck/issues/new?template=mistake.yml"
    "&guid={guid}&version={version}&question={question}&deck={deck}"
)


def test_a_workflow_for_releases_and_its_settings(ptcards: Run, tmp_path: Path) -> None:
    for command in (["init", "-q"], ["remote", "add", "origin", "git@github.com:Ann/geo-deck.git"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    names = ("check-deck", "show-changes", "release-deck", "suggestions")
    workflows = [f".github/workflows/{name}.yml" for name in names]
    file = workflows[2]
    assert ptcards("init", tmp_path / "geo", "--release").err.splitlines()[4:] == [
        *(f"Created {each}" for each in workflows),
        "Created .github/ISSUE_TEMPLATE/mistake.yml",
        "Next: preview the cards while you write, then build the deck for Anki:",
        "  ptcards serve geo --open",
        "  ptcards build geo",
        "for a link `Report a mistake` on cards and the study page, add this to the top of deck.toml:",
        f'  report = "{FORM}"',
        f"write the owner of ptcards' repository instead of OWNER into {', '.join(f'`{each}`' for each in workflows)}",
    ]
    settings = (tmp_path / "geo" / "deck.toml").read_text()
    assert tomllib.loads(settings)["release"] == {
        "url": "https://ann.github.io/geo-deck/",
        "issues": FORM,
    }
    workflow = yaml.safe_load((tmp_path / file).read_text())
    rights = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert (workflow["permissions"], rights) == (
        {},
        {"release": {"contents": "write"}, "publish": {"pages": "write", "id-token": "write"}},
    )
    inputs = workflow["jobs"]["release"]["steps"][1]["with"]
    assert inputs == {"sources": "geo", "output": "dist", "release": "true", "first": "v1.0"}
    action = Path(__file__).parents[2] / ".github" / "actions" / "deck" / "action.yml"
    assert inputs.keys() - yaml.safe_load(action.read_text())["inputs"].keys() == set()
    again = ptcards("init", tmp_path / "geo", "--release")
    assert again.err.splitlines()[0] == "nothing to do: `geo` is already a collection"
    assert (tmp_path / "geo" / "deck.toml").read_text() == settings


KEYS = {
    "markdown": ({"value"}, {"value"}),
    "textarea": ({"label"}, {"label", "description", "placeholder", "value", "render"}),
    "input": ({"label"}, {"label", "description", "placeholder", "value"}),
}
"""The attributes that SchemaStore's schema `github-issue-forms.json` demands and allows for each element."""


def test_the_form_for_mistakes_is_as_github_wants_it_and_has_the_fields_of_the_link(
    ptcards: Run, tmp_path: Path
) -> None:
    ptcards("init", tmp_path, "--release")
    form = yaml.safe_load((tmp_path / ".github" / "ISSUE_TEMPLATE" / "mistake.yml").read_text())
    assert form.keys() == {"name", "description", "body"}
    assert all(isinstance(form[key], str) and form[key] for key in ("name", "description"))
    for element in form["body"]:
        demanded, allowed = KEYS[element["type"]]
        assert element.keys() - {"type", "attributes", "id", "validations"} == set()
        assert demanded <= element["attributes"].keys() <= allowed
        assert all(isinstance(value, str) and value for value in element["attributes"].values())
        assert element.get("validations", {"required": True}) == {"required": True}
        assert re.fullmatch("[A-Za-z0-9_-]+", element["id"])
    names = [element["id"] for element in form["body"]]
    assert sorted(names) == sorted({*re.findall(r"{(\w+)}", FORM), "mistake"})
    assert re.findall(r"&(\w+)={\1}", FORM) == ["guid", "version", "question", "deck"]


def test_an_existing_collection_gets_empty_settings_for_releases_without_a_place_on_github(
    ptcards: Run, write: Write
) -> None:
    folder = write({"deck.toml": 'name = "A"\r\nid = "a"\r\n', "a.md": "## What is it?\n\nIt.\n"})
    assert ptcards("init", folder, "--release").err.splitlines()[:-4] == [
        "Added to deck.toml: `[release]`, `url`, `issues`",
        "Created .gitattributes",
        "Created .gitignore",
        *(
            f"Created .github/workflows/{name}.yml"
            for name in ("check-deck", "show-changes", "release-deck", "suggestions")
        ),
        "Created .github/ISSUE_TEMPLATE/mistake.yml",
    ]
    assert (folder / "deck.toml").read_bytes().decode() == (
        'name = "A"\r\nid = "a"\r\n\r\n[release]\r\n'
        'url = ""  # where releases are published\r\nissues = ""  # where learners may send suggestions\r\n'
    )
    assert (folder / ".github" / "workflows" / "release-deck.yml").is_file()
    assert ptcards("check", folder).status == 0


def test_a_path_that_needs_it_is_quoted_so_that_the_line_can_be_pasted(ptcards: Run, tmp_path: Path) -> None:
    ran = ptcards("init", tmp_path / "it's my deck")
    assert ran.err.splitlines()[-3:] == [
        "Next: preview the cards while you write, then build the deck for Anki:",
        """  ptcards serve 'it'"'"'s my deck' --open""",
        """  ptcards build 'it'"'"'s my deck'""",
    ]


def test_a_gitignore_that_knows_the_outputs_stays_as_it_is(ptcards: Run, write: Write) -> None:
    for number, known in enumerate(("build\n", "/build/", "# mine\n**/build/*\r\n")):
        root = write({f"{number}/.gitignore": known})
        ptcards("init", root / str(number))
        assert (root / str(number) / ".gitignore").read_bytes() == known.encode()


def test_every_collection_gets_an_id_of_its_own(ptcards: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        ptcards("init", tmp_path / name)
    assert (tmp_path / "a" / "deck.toml").read_text().splitlines()[1] != (
        tmp_path / "b" / "deck.toml"
    ).read_text().splitlines()[1]


def test_a_folder_keeps_what_it_has(ptcards: Run, write: Write) -> None:
    root = write(
        {"notes.md": "## One?\n\n1\n", ".gitattributes": "*.png binary", "deck.toml": 'name = "Kept"\n'}
    )
    assert ptcards("init", root).err == (
        "Added to deck.toml: `id`\n"
        "Added to .gitattributes: `deck.lock merge=union`\n"
        "Created .gitignore\n"
        "Next: preview the cards while you write, then build the deck for Anki:\n"
        "  ptcards serve . --open\n"
        "  ptcards build .\n"
    )
    assert (root / ".gitignore").read_text() == "build/\n"
    assert (root / ".gitattributes").read_text() == "*.png binary\ndeck.lock merge=union\n"
    assert re.fullmatch(r'id = "[0-9a-f]{8}"  # .*\nname = "Kept"\n', (root / "deck.toml").read_text())
    assert sorted(path.name for path in root.iterdir()) == [
        ".gitattributes",
        ".gitignore",
        "deck.toml",
        "notes.md",
    ]


def test_a_second_init_has_nothing_to_do(ptcards: Run, tmp_path: Path) -> None:
    ptcards("init", tmp_path / "a")
    before = {path: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert ptcards("init", tmp_path / "a") == Ran(0, "", "nothing to do: `a` is already a collection\n")
    assert {path: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before


def test_a_deck_toml_that_cannot_be_read_is_left_alone(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": "name = "})
    ran = ptcards("init", root)
    assert (ran.status, ran.err.split("\n")[0]) == (
        2,
        "deck.toml:1:8: error[broken-deck-toml] the value is missing or has no quotes",
    )
    assert (root / "deck.toml").read_text() == "name = "
    assert (root / "deck.toml").read_text() == "name = "


def test_a_readme_alone_is_no_first_file(ptcards: Run, write: Write) -> None:
    root = write(
        {"README.md": "# Mine\n", "build/old.md": "", ".gitattributes": "# deck.lock\r\n*.md text\r\n"}
    )
    ptcards("init", root)
    assert (root / "first-steps.md").is_file()
    assert (root / ".gitattributes").read_bytes() == (
        b"# deck.lock\r\n*.md text\r\ndeck.lock merge=union\r\n"
    )


def test_a_deck_toml_gets_what_it_lacks_in_its_own_line_ends(ptcards: Run, write: Write) -> None:
    root = write({"a.md": "", "deck.toml": b"\xef\xbb\xbfcss = 'x'\r\n"})
    ptcards("init", root)
    lines = (root / "deck.toml").read_bytes().decode().split("\r\n")
    assert [line.partition(" = ")[0] for line in lines] == ["name", "id", "css", ""]


def test_a_folder_whose_name_cannot_name_a_deck_gets_another(ptcards: Run, tmp_path: Path) -> None:
    for number, folder in enumerate(("default", "---", "a::b", os.fsdecode(b"bad\xff"), "\x7f")):
        assert ptcards("init", tmp_path / str(number) / folder).status == 0
        assert (tmp_path / str(number) / folder / "deck.toml").read_text().startswith('name = "My deck"\n')


def test_a_folder_for_a_deck_toml_is_named(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml/x": ""})
    ran = ptcards("init", root)
    assert (ran.status, ran.err.split("\n")[0]) == (
        2,
        "deck.toml:1:1: error[broken-deck-toml] is a folder",
    )


def test_a_collection_in_a_collection_is_mentioned(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": 'name = "D"\nid = "i"\n', "a.md": ""})
    assert ptcards("init", root / "sub").err.endswith(
        'note: `.` is also a collection, and collections do not nest: add `exclude = ["sub/"]` to its `deck.toml`\n'
    )
