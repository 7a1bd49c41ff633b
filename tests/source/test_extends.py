"""Settings that several collections share: `extends` in `deck.toml`."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.source.config import CheckConfig, VerifyConfig, read_config

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]

COMMON = """\
license = "MIT"
css = "look.css"
tags = ["course"]
language = "de"

[check]
enable = ["missing-id"]
limits = { answer-words = 5, code-lines = 7 }

[math]
macros = "macros.tex"

[verify]
python = ".venv/bin/python"
timeout = 20
"""
OWN = """\
name = "One"
id = "one"
extends = "../common.toml"
tags = ["one"]

[check]
limits = { code-lines = 9 }
"""
NOTE_TYPE = {
    "name": "Word",
    "fields": ["Word", "Meaning"],
    "templates": [{"name": "Card", "file": "card"}],
}


def course(write: Write, own: str = OWN, common: str = COMMON) -> Path:
    """Return a folder with settings that two collections share."""
    return write(
        {
            "common.toml": common,
            "look.css": ".card { color: red }\n",
            "macros.tex": "\\newcommand{\\RR}{\\mathbb{R}}\n",
            "notetypes/word/notetype.json": json.dumps(NOTE_TYPE),
            "notetypes/word/card.front.html": "{{Word}}",
            "notetypes/word/card.back.html": "{{Meaning}}",
            "one/deck.toml": own,
            "one/a.md": "# A\n\n## What is it?\n\nIt is a set, because $\\RR$ is one.\n",
            "two/deck.toml": own.replace("one", "two").replace("One", "Two"),
            "two/a.md": "# A\n\n## What is that?\n\nThat is a set, because $\\RR$ is one.\n",
        }
    )


def found(ran: Ran) -> list[str]:
    """Return the findings of a check with the format `concise`."""
    return [line for line in ran.out.splitlines() if ": error" in line]


def test_a_collection_has_the_settings_that_it_extends_unless_it_sets_them(write: Write) -> None:
    root = course(write)
    config, problems = read_config(root / "one" / "deck.toml", "one/deck.toml")
    assert problems == []
    assert (config.name, config.license, config.tags, config.language) == ("One", "MIT", ("one",), "de")
    assert config.css == ".card { color: red }\n"
    assert config.check == CheckConfig(enable=("missing-id",), limits={"answer-words": 5, "code-lines": 9})
    assert [macro.name for macro in config.macros] == ["RR"]
    assert config.verify == VerifyConfig(timeout=20, python="../.venv/bin/python")
    assert [each.name for each in config.note_types] == ["Word"]
    assert config.files == tuple(root / name for name in ("common.toml", "look.css", "macros.tex"))


def test_a_shared_note_type_may_be_used_by_one_of_the_collections_only(write: Write, ptcards: Run) -> None:
    root = course(write, common='license = "MIT"\n')
    write({"two/a.md": "# A\n\n## Haus\n<!-- card: type=word -->\n\n### Meaning\n\nhouse\n"})
    ran = ptcards("check", root, "--format", "concise")
    assert [line for line in ran.out.splitlines() if "notetype" in line or "note type" in line] == []
    assert ptcards("build", root).status == 0


@pytest.mark.parametrize(
    ("common", "said"),
    [
        ('name = "All"\n', "common.toml:1:1: error[wrong-value] collections cannot share `name`"),
        ('extends = "x.toml"\n', "common.toml:1:1: error[wrong-value] collections cannot share `extends`"),
        (
            "\ntags = 1\n",
            "common.toml:2:1: error[wrong-value] `tags` must be a list of at most 100 strings",
        ),
        ('\n\ncss = "no.css"\n', "common.toml:3:1: error[missing-css] no file `no.css` in the collection"),
        (
            "[check]\nignored = []\n",
            "common.toml:2:1: error[unknown-key] unknown key `ignored` in `[check]`",
        ),
        ('exclude = ["a\\\\"]\n', "common.toml:1:1: error[wrong-value] `a\\` is not a valid pattern"),
        ('dialect = "latin"\n', "common.toml:1:1: error[unknown-dialect] unknown dialect `latin`"),
        ("tags = [\n", "common.toml:2:1: error[broken-deck-toml] "),
    ],
)
def test_a_mistake_in_shared_settings_is_reported_there(
    common: str, said: str, write: Write, ptcards: Run
) -> None:
    root = course(write, 'name = "One"\nid = "one"\nlicense = "MIT"\nextends = "../common.toml"\n', common)
    ran = ptcards("check", root / "one", "--format", "concise")
    assert [line[: len(said)] for line in found(ran)] == [said]
    assert ran.status == 2


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("../none.toml", "no file `../none.toml`"),
        ("../../common.toml", "`../../common.toml` is outside the repository"),
        ("/dev/zero", "`/dev/zero` is outside the repository"),
        ("link.toml", "`link.toml` is outside the repository"),
    ],
)
def test_settings_outside_the_repository_are_never_read(
    name: str, what: str, write: Write, ptcards: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = course(write, f'name = "One"\nid = "one"\nlicense = "MIT"\nextends = "{name}"\n')
    outside = tmp_path_factory.mktemp("outside") / "secret.toml"
    outside.write_text("tags = 1\n")
    (root / "one" / "link.toml").symlink_to(outside)
    for _ in range(2):  # the second answer is from the cache
        ran = ptcards("check", root / "one", "--format", "concise")
        assert found(ran) == [f"one/deck.toml:4:1: error[missing-extends] {what}"]


def test_the_root_of_the_repository_may_be_further_up(write: Write, ptcards: Run) -> None:
    root = course(write)
    write(
        {
            "deep/er/deck.toml": 'name = "D"\nid = "d"\nextends = "../../common.toml"\n',
            "deep/er/a.md": "## Who?\n\nWe.\n",
        }
    )
    subprocess.run(["git", "init", "-q", root], check=True)
    assert found(ptcards("check", root / "deep" / "er", "--format", "concise")) == []


@pytest.mark.parametrize("name", ["common.toml", "look.css", "macros.tex", "notetypes/word/notetype.json"])
def test_a_change_of_what_is_shared_is_noticed(name: str, write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root / "one").status == 0
    assert ptcards("build", root / "one").err.startswith("Unchanged")
    file = root / name
    file.write_text("broken {", "utf-8") if name.endswith("json") else file.write_bytes(b"\xff")
    for _ in range(2):
        assert ptcards("build", root / "one").status == 2 - name.endswith("json")


def test_diff_compares_with_the_settings_of_that_time(
    write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = 'name = "One"\nid = "one"\nextends = "../../common.toml"\n'
    root = course(write, common='license = "MIT"\nquestion-level = 3\n')
    write({"deep/er/deck.toml": own, "deep/er/a.md": "# A\n\n### Who is it?\n\nIt is we, because I ask.\n"})
    monkeypatch.chdir(root)
    subprocess.run(["git", "init", "-q"], check=True)
    assert ptcards("build", "deep/er").status == 0
    commit = "git add . && git -c user.name=a -c user.email=b commit -qm x"
    subprocess.run(commit, shell=True, check=True)
    write({"deep/er/a.md": "# A\n\n### Who is it?\n\nIt is you, because I ask.\n"})
    shown = [line.strip() for line in ptcards("diff", "deep/er").out.splitlines() if "answer" in line]
    assert shown == ["answer: It is [-we,-] {+you,+} because I ask."]
