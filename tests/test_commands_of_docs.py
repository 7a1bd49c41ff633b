"""Every command in the README and docs/ runs as it is written, in a folder that has what its page is about.

`gh`, a program that writes notes, and the person who ends the preview are faked; nothing else is.
"""

import csv
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell"),
]

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"^( *)(`{3,})(\w+)[^\n]*\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
GENERATED = frozenset({"commands.md", "rules.md"})
"""Pages that the program prints, which have their own tests."""

ELSEWHERE = MappingProxyType(
    {
        "uv tool install .": "test_installing.py runs it in a clone with a local index",
        "# try it without installing it": (
            "test_installing.py runs it with the address of a local repository"
        ),
        "uvx --from . ptcards serve cards --open": "test_installing.py and the gate run its three lines",
        "# the short form, which takes minutes": "it takes minutes to hours",
    }
)
"""The first line of each block that does not run here, and why."""

TOML = 'name = "{}"\nid = "d1"\nlicense = "MIT"\n'
CARDS = {
    "view": (
        "What does `x.view(2)` share with the tensor `x`?",
        "Its storage, because a view copies nothing.",
    ),
    "leaf": (
        "What is a leaf in the graph of autograd?",
        "A tensor that no operation produced, because you made it.",
    ),
    "print": (
        "Why does `torch.compile` break its graph at `print`?",
        "Because it cannot trace what Python writes to the terminal.",
    ),
    "half": (
        "How many bits does a number of type `torch.bfloat16` have?",
        "16, as many as `torch.float16`, but more of them for the exponent.",
    ),
    "zero": (
        "Why is `zero_grad()` called before each step of training?",
        "Because gradients are added to those of the step before.",
    ),
}
PAIRS = "".join(
    f"Q: What is the capital of {country}?\nA: {city}\n\n"
    for country, city in (
        ("France", "Paris"),
        ("Peru", "Lima"),
        ("Japan", "Tokyo"),
        ("Chile", "Santiago"),
        ("Kenya", "Nairobi"),
    )
)
LIST = "# Questions\n\n" + "".join(
    f"### {n}. What is number {n}?\n\n<details><summary>Answer</summary>\n\nIt comes after {n - 1}.\n\n</details>\n\n"
    for n in range(1, 9)
)
VAULT = "#flashcards/geo\n\nWhat is the capital of France?::Paris\n\nWhat is the capital of Peru?::Lima\n"
MARKED = "# Pods\n\nNot a card.\n\n## What is a pod? #card\n\nThe smallest unit that is scheduled.\n"
PACKAGE = """
import genanki
deck = genanki.Deck(2059400110, "Geography")
for country, city in (("France", "Paris"), ("Peru", "Lima")):
    fields = [f"What is the capital of {country}?", city]
    deck.add_note(genanki.Note(genanki.BASIC_MODEL, fields))
genanki.Package(deck).write_to_file("geo.apkg")
"""
REPORTS = ("ptcards check .", "ptcards check README.md")
"""Commands that are there to report errors: what the files look like."""

Shell = Callable[..., str]
World = Callable[[Path, Shell], None]


def _deck(folder: Path, name: str = "Deck") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "deck.toml").write_text(TOML.format(name), "utf-8")
    (folder / "views.md").write_text(_note("Views", "view"), "utf-8")


def _note(deck: str, key: str) -> str:
    question, answer = CARDS[key]
    return f"# {deck}\n\n## {question}\n<!-- card: id={key} difficulty=easy -->\n\n{answer}\n"


def checking(folder: Path, _: Shell) -> None:
    """Prepare a deck, and a draft that is not among its sources."""
    _deck(folder)
    (folder / "deck.toml").write_text(TOML.format("Deck") + 'exclude = ["draft.md"]\n', "utf-8")
    (folder / "draft.md").write_text(_note("Draft", "leaf"), "utf-8")


def drafts(folder: Path, _: Shell) -> None:
    """Prepare a deck and a file of new notes that is not among its sources."""
    _deck(folder)
    (folder / "deck.toml").write_text(TOML.format("Deck") + 'exclude = ["notes.md"]\n', "utf-8")
    (folder / "autograd.md").write_text(_note("Autograd", "zero"), "utf-8")
    (folder / "notes.md").write_text(_note("Autograd", "leaf"), "utf-8")


def only_a_deck(folder: Path, _: Shell) -> None:
    """Prepare a deck in the folder itself."""
    _deck(folder)


def moving(folder: Path, shell: Shell) -> None:
    """Prepare everything that can be moved: a package, tables, a vault, a list and pairs."""
    shell(f"{shlex.quote(sys.executable)} -c {shlex.quote(PACKAGE)} && cp geo.apkg deck.apkg")
    (folder / "words.txt").write_text("Haus\thouse\nBaum\ttree\n", "utf-8")
    (folder / "verbs.csv").write_text("gehen,to go,de\nsehen,to see,de\n", "utf-8")
    (folder / "vault").mkdir()
    (folder / "vault" / "geo.md").write_text(VAULT, "utf-8")
    (folder / "README.md").write_text(LIST, "utf-8")
    (folder / "notes.md").write_text(PAIRS, "utf-8")


def a_vault(folder: Path, _: Shell) -> None:
    """Prepare a file of a vault."""
    (folder / "geo.md").write_text(VAULT, "utf-8")


def notes(folder: Path, _: Shell) -> None:
    """Prepare notes in other formats, each in its own folder, and a list."""
    for name, text in {"vault/geo.md": VAULT, "notes/geo.md": PAIRS, "README.md": LIST}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def marked(folder: Path, _: Shell) -> None:
    """Prepare study notes, some of them cards."""
    (folder / "notes").mkdir()
    (folder / "notes" / "pods.md").write_text(MARKED, "utf-8")


def published(folder: Path, shell: Shell) -> None:
    """Prepare a deck in git that was released, and more notes."""
    _deck(folder)
    (folder / ".gitignore").write_text("build/\ndist/\n", "utf-8")
    shell("git init -q && ptcards build && git add . && git commit -qm 1 && git tag v1.2")
    (folder / "more.md").write_text(_note("Autograd", "leaf"), "utf-8")


def branched(folder: Path, shell: Shell) -> None:
    """Prepare a branch of a released deck, with a new note."""
    published(folder, shell)
    shell("git branch -M main && git switch -qc fix")


def released(folder: Path, shell: Shell) -> None:
    """Prepare a deck whose release 1.3 has a `deck.json`, and an edit."""
    published(folder, shell)
    shell("ptcards build && git add . && git commit -qm 3 && git tag v1.3 && ptcards release --first")
    (folder / "more.md").write_text(_note("Autograd", "leaf").replace("made it", "made it yourself"), "utf-8")


def ready(folder: Path, shell: Shell) -> None:
    """Prepare a deck whose release 1.3 has a `deck.json`, and the commit of the next release."""
    released(folder, shell)
    shell("ptcards build && git add . && git commit -qm 4 && git tag v1.4")


def locked(folder: Path, shell: Shell) -> None:
    """Prepare a release in git."""
    published(folder, shell)
    shell("ptcards build && git add . && git commit -qm 3 && git tag v1.3")


def merging(folder: Path, shell: Shell) -> None:
    """Prepare a merge that stops at `deck.lock`."""
    published(folder, shell)
    shell("git switch -qc other && ptcards build && git add . && git commit -qm other && git switch -q -")
    (folder / "mine.md").write_text(_note("Mine", "zero"), "utf-8")
    shell("ptcards build && git add . && git commit -qm mine")
    shell("git merge other || git diff --name-only --diff-filter=U | grep -x deck.lock")


WORLDS: Mapping[str, World | Mapping[str, World]] = MappingProxyType(
    {
        "README.md": only_a_deck,  # both make their own
        "first-deck.md": only_a_deck,
        "checking.md": checking,
        "drafts.md": drafts,
        "findings.md": checking,
        "models.md": only_a_deck,
        "moving-here.md": moving,
        "contributors.md": {"ptcards check": branched, "git checkout": merging},
        "deck-lock.md": branched,
        "publishing.md": {
            "release --first": published,
            "ptcards release": released,
            "ptcards diff": published,
        },
        "release.md": {"ptcards release": ready, "ptcards diff": published},
        "diagrams.md": lambda folder, _: _deck(folder / "my-deck"),
        "serve.md": lambda folder, _: _deck(folder / "my-deck"),
        "sharing.md": locked,
        "study-page.md": only_a_deck,
        "your-notes.md": {
            "ptcards check .": a_vault,
            "ptcards import": moving,
            "ptcards check --fix": only_a_deck,
            "cd notes\nptcards init\necho": marked,
            "": notes,
        },
    }
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Return a function that runs commands in a folder as a POSIX shell does; they must succeed."""
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    preview = (
        "import signal, socket, subprocess, sys\n"
        "with socket.create_server(('127.0.0.1', 0)) as free:\n    port = str(free.getsockname()[1])\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell in the background ignores it
        f"shown = subprocess.Popen([{sys.executable!r}, '-m', 'ptcards', *sys.argv[1:], '--port', port], stdout=-1)\n"
        "try:\n"
        "    assert shown.stdout.readline().startswith(b'http://127.0.0.1:')\n"
        "    shown.send_signal(signal.SIGINT)\n"
        "    assert shown.wait(60) in (0, 130)\n"
        "finally:\n    shown.kill()\n"
    )
    (fakes / "preview.py").write_text(preview, "utf-8")
    real = shlex.quote(sys.executable)
    for name, text in {
        "ptcards": f'if [ "$1" = serve ]; then exec {real} {fakes}/preview.py "$@"; fi\nexec {real} -m ptcards "$@"',
        "generate-notes": f"printf '%s' {shlex.quote(_note('Autograd', 'print'))}",
        "gh": 'test "$1 $2" = "release create" && for file in "$@"; do case $file in build/*) test -f "$file";; esac; done',
        "browser": "true",
    }.items():
        (fakes / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (fakes / name).chmod(stat.S_IRWXU)
    environ = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "PATH": f"{fakes}{os.pathsep}{os.environ['PATH']}",
        "BROWSER": str(fakes / "browser"),
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        **{f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def run(commands: str, folder: Path = tmp_path / "empty", said: str = "") -> str:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands],
            cwd=folder,
            env=environ,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    (tmp_path / "empty").mkdir()
    return run


def blocks(*languages: str) -> list[tuple[str, str]]:
    """Return the name of the page and the text of each block in one of these languages."""
    return [
        (page.name, re.sub(rf"^{indent}", "", text, flags=re.MULTILINE))
        for page in PAGES
        if page.name not in GENERATED
        for indent, _, language, text in _BLOCK.findall(page.read_text("utf-8"))
        if language in languages
    ]


def test_every_page_with_commands_has_a_world_or_a_reason() -> None:
    found = blocks("sh")
    elsewhere = [first for first in ELSEWHERE if any(text.startswith(f"{first}\n") for _, text in found)]
    assert (len(ELSEWHERE) <= 10, elsewhere) == (True, list(ELSEWHERE))
    assert {page for page, text in found if text.partition("\n")[0] not in ELSEWHERE} == set(WORLDS)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pair
        for pair in blocks("sh")
        if pair[1].partition("\n")[0] not in ELSEWHERE and pair[0] not in ("README.md", "first-deck.md")
    ],
)
def test_the_commands_of_a_page_run(page: str, text: str, shell: Shell, tmp_path: Path) -> None:
    world = WORLDS[page]
    if isinstance(world, Mapping):
        world = next(each for part, each in world.items() if part in text)
    world(tmp_path / "empty", shell)
    for report in REPORTS:
        text = re.sub(rf"^({re.escape(report)})$", r"\1 || test $? = 1", text, flags=re.MULTILINE)
    shell(text, said=_note("New", "half"))


@pytest.mark.parametrize(("page", "last"), [("README.md", "dist/deck.json"), ("first-deck.md", "deck.lock")])
def test_the_blocks_of_a_first_deck_follow_each_other(
    page: str, last: str, shell: Shell, tmp_path: Path
) -> None:
    """Somebody follows the page: runs its commands, and adds its settings to `deck.toml`.

    A note is changed before the block that begins with `ptcards check`. What the page says is printed
    is; a line `…` stands for any lines.
    """
    deck = tmp_path / "my-deck"
    printed = ""
    for name, text in blocks("sh", "toml", "markdown", "text"):
        first = text.partition("\n")[0]
        if name != page or first in ELSEWHERE or not (deck.exists() or first.startswith("ptcards init")):
            continue
        if text.startswith("["):
            with (deck / "deck.toml").open("a", encoding="utf-8") as settings:
                settings.write(f"\n{text}")
        elif text.startswith("#"):
            (deck / "autograd.md").write_text(text, "utf-8")
        elif not text.startswith(("ptcards", "git")):
            assert re.fullmatch(re.escape(_unmeasured(text)).replace("…\\\n", "(?s:.*)"), printed), printed
        else:
            if text.startswith("ptcards check"):
                _edit(deck)
            printed = _unmeasured(shell(f"exec 2>&1\n{text}", deck if deck.exists() else tmp_path))
    files = [".gitattributes", ".gitignore", "deck.lock", "deck.toml", "first-steps.md"]
    assert shell("git ls-files", deck).split() == sorted(files + ["autograd.md"] * (page == "first-deck.md"))
    assert shell("git status --porcelain", deck) == ""
    assert sorted(file.name for file in (deck / "build").iterdir()) == ["my-deck.apkg", "my-deck.csv"]
    assert (deck / last).exists()


def test_the_rewording_on_the_page_about_the_same_note_is_recognised_as_it_says(
    shell: Shell, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "same-note.md").read_text("utf-8")
    (old, new, printed) = re.findall(r"```diff\n-(.*)\n\+(.*)\n```.*?```text\n(.*?)```", page, re.DOTALL)[0]
    deck = tmp_path / "empty"
    (deck / "deck.toml").write_text(TOML.format("Deck"), "utf-8")
    for question in (old, new):
        text = f"# Autograd\n\n{question}\n\nIt stops autograd from recording a graph.\n"
        (deck / "autograd.md").write_text(text, "utf-8")
        built = shell("ptcards build 2>&1")
    assert built.endswith(printed)


def _edit(deck: Path) -> None:
    """Change an answer."""
    file = next(file for file in (deck / "autograd.md", deck / "first-steps.md") if file.exists())
    text = file.read_text("utf-8")
    changed = text.replace(": less memory, less time.", ", which saves memory and time.")
    file.write_text(changed if changed != text else f"{text}\nIt is so.\n", "utf-8")


def _unmeasured(printed: str) -> str:
    return re.sub(r"\d+\.\d+ s|\d+ kB", "", printed)


def test_no_command_is_followed_by_a_comment() -> None:
    """It would be out of sight on a narrow page; write it on a line above, or in the text."""
    found = [line for _, text in blocks("sh") for line in text.split("\n") if re.search(r"\S +# ", line)]
    assert found == []


def test_the_readme_is_a_front_door() -> None:
    assert (ROOT / "README.md").read_text("utf-8").count("\n") <= 120


@pytest.mark.parametrize("text", [text for _, text in blocks("toml") if "[project" not in text])
def test_the_settings_of_a_page_are_known(text: str, shell: Shell, tmp_path: Path) -> None:
    """Unknown keys and invalid values are errors; the files that settings name exist."""
    folder = tmp_path / "empty"
    (folder / "macros.tex").write_text("\\newcommand{\\RR}{\\mathbb{R}}\n", "utf-8")
    (folder / "style.css").write_text(".card { color: red }\n", "utf-8")
    (folder / "views.md").write_text(_note("Views", "view"), "utf-8")
    (tmp_path / "common.toml").touch()
    given = tomllib.loads(text)
    missing = "".join(f'{key} = "d1"\n' for key in ("name", "id") if key not in given)
    (folder / "deck.toml").write_text(missing + text, "utf-8")
    found = json.loads(shell("ptcards check --format json || true"))["findings"]
    mistakes = [each for each in found if each["rule"] != "empty-edition"]  # the deck of the page is another
    wrong = [each for each in mistakes if each["path"] == "deck.toml" and each["severity"] == "error"]
    assert wrong == []


@pytest.mark.parametrize(("dialect", "cards"), [("obsidian", 2), ("details:heading", 1), ("qa", 3)])
def test_notes_as_they_are_become_the_cards_that_their_page_shows(
    dialect: str, cards: int, shell: Shell, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "your-notes.md").read_text("utf-8")
    shown = r"```markdown\n((?:(?!```).)*)```\n\n[^|\n]+\n\n\| question \| answer \|\n\|[-|]+\n((?:\|.*?\n)+)"
    examples = re.findall(shown, page, re.DOTALL)
    (source, table) = next(each for each in examples if each[1].count("\n") == cards)
    (tmp_path / "empty" / "notes.md").write_text(source, "utf-8")
    shell(f"ptcards build --dialect {dialect} notes.md")
    with (tmp_path / "empty" / "build" / "notes.csv").open(encoding="utf-8-sig", newline="") as built:
        faces = [face for note in csv.DictReader(built) for face in _faces(note)]
    assert (len(examples), "".join(f"| {front} | {back} |\n" for front, back in faces)) == (3, table)


def _faces(note: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return question and answer of each card; those of a cloze are its sentence with a gap, and the gap."""
    if note["kind"] != "cloze":
        return [(note["question"], note["answer"])]
    deletion = r"\{\{c(\d+)::(.*?)\}\}"
    plain = re.sub(deletion, r"\2", note["answer"])
    texts = [text for _, text in re.findall(deletion, note["answer"])]
    return [(plain.replace(text, "[…]"), text) for text in texts]


def test_the_data_of_the_pages_can_be_read() -> None:
    for _, text in blocks("json"):
        json.loads(text)
    for _, text in blocks("yaml"):
        # Front matter is shown with its two lines of dashes.
        assert next(yaml.safe_load_all(text))


def test_the_example_of_a_style_is_used(shell: Shell, tmp_path: Path) -> None:
    (toml,) = [text for page, text in blocks("toml") if page == "styling.md"]
    style, _pictures = [text for page, text in blocks("css") if page == "styling.md"]
    folder = tmp_path / "empty"
    (folder / "deck.toml").write_text(toml, "utf-8")
    (folder / "style.css").write_text(style, "utf-8")
    (folder / "views.md").write_text(_note("Views", "view"), "utf-8")
    shell("ptcards build --format html")
    assert style.splitlines()[0] in (folder / "build" / "geography.html").read_text("utf-8")


def test_the_variables_and_classes_of_the_style_are_those_of_the_cards() -> None:
    page = (ROOT / "docs" / "styling.md").read_text("utf-8")
    anki = ROOT / "src" / "ptcards" / "anki"
    css = (anki / "card.css").read_text("utf-8")
    maker = (anki / "built_in_notetypes.py").read_text("utf-8")
    variables, _, classes = page.partition("## Classes")
    listed = set(re.findall(r"`(--ptc-[\w-]+)`", variables))
    assert listed == set(re.findall(r"(--ptc-[\w-]+):", css.partition("\n.ptc {")[0])) | {
        *re.findall(r"--ptc-letters", maker),
        *re.findall(r"var\((--ptc-beside)", css),
    }
    used = maker + css + "".join(file.read_text("utf-8") for file in anki.glob("*.html"))
    named = set(re.findall(r"\.(\w+)", " ".join(re.findall(r"^\| (`.*?`) \|", classes, re.MULTILINE))))
    assert {name for name in named if not re.search(rf"\b{name}\b", used)} == set()
