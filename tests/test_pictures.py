"""The pictures in the README and docs/.

Terminal pictures show what the program prints; `pytest --update` draws them again.
"""

import os
import re
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from anki import buildinfo

from anki_backend import learner, notes_by_guid
from ankiconnect import anki_connect
from colours import contrast
from identity_release import Learner
from terminal import type_session, without_progress
from terminal_picture import DARK, LIGHT, folded, picture_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals"),
]

PICTURES = Path(__file__).parent.parent / "docs" / "img"
NARROW = 44
at_both_widths = pytest.mark.parametrize("columns", [88, NARROW])
"""Each terminal has a narrow picture too, for phones."""
TOML = 'name = "PyTorch"\nid = "picture"\n'
WRONG = """\
# Autograd

## Why does evaluation run under `torch.no_grad()`?
<!-- card: id=eval-no-grad difficulty=meduim -->

It stops autograd from recording a graph, so no list<Op> of steps is kept.

## Explain leaf tensors.
<!-- card: id=leaf difficulty=easy -->

A leaf is a tensor that no recorded operation made, such as a parameter.
"""
OLD = """\
# Autograd

## Why does evaluation run under `torch.no_grad()`?

It stops autograd from recording a graph: less memory, less time.

## What is a leaf tensor?

A tensor that no recorded operation made, such as a parameter of a model.
"""
NEW = """\
# Autograd

## Why do you evaluate a model under `torch.no_grad()`?

It stops autograd from recording a graph: less memory, less time.

## What is a leaf tensor?

A tensor that no recorded operation made, such as a parameter of a module.

## What does `detach()` return?

A tensor that shares the data and is cut off from the graph.
"""
FLOATS = """\
# Floats

## What does this print?

```python
print(0.1 + 0.2 == 0.3)
```

### Answer

```output
True
```

Neither 0.1 nor 0.2 is exact in binary.

## What happens when you divide by zero?

Python raises `ZeroDivisionError`, because no float is the quotient.

```python raises=ZeroDivisionError
1 / 0
```
"""


@at_both_widths
def test_the_picture_of_an_error_is_what_check_prints(
    tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "deck.toml").write_text(TOML, "utf-8")
    session = (({"cards/autograd.md": WRONG}, ("check", "cards")),)
    text = type_session(session, columns=columns, folder=tmp_path, env={})
    _compare(
        "error.svg", text, "ptcards check reports each mistake with its location and fix", columns, request
    )


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """Return the folder of a collection without notes."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "deck.toml").write_text(TOML, "utf-8")
    return tmp_path / "cards"


@at_both_widths
@pytest.mark.usefixtures("cards")
def test_the_picture_of_an_update_is_what_diff_prints(
    tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    build = ("build", "cards", "-q")
    type_session((({"cards/autograd.md": OLD}, build),), columns=columns, folder=tmp_path, env={})
    for command in (
        ["init", "-q"],
        ["add", "cards"],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "1.0"],
        ["tag", "v1.0"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    type_session((({"cards/autograd.md": NEW}, build),), columns=columns, folder=tmp_path, env={})
    text = type_session((({}, ("diff", "v1.0")),), columns=columns, folder=tmp_path, env={})
    _compare("diff.svg", text, "ptcards diff shows how an update affects learners", columns, request)


@at_both_widths
@pytest.mark.sandbox
def test_the_picture_of_code_that_ran_is_what_verify_prints(
    tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "deck.toml").write_text(TOML, "utf-8")
    session = (({"cards/floats.md": FLOATS}, ("verify", "cards")),)
    text = type_session(session, columns=columns, folder=tmp_path, env={})
    text = re.sub(r"Python 3\.\d+\.\d+", "Python 3.14.0", text)
    _compare(
        "verify.svg", text, "ptcards verify ran two snippets; one prints something else", columns, request
    )


SETTINGS = """\
name = "PyTorch"
id = "picture"
licence = "CC BY 4.0"
question-level = "three"

[check]
ignore = ["image-witout-alt"]
"""
VAULT = """\
#flashcards/optim

What does momentum do?::It averages past gradients.

Adam keeps ==two== averages for each weight.
"""
LIST = """\
# Interview questions

Q: What does `detach()` return?
A: A tensor without a history.

Q: What is a leaf tensor?
A: A tensor that no operation made.

Q: What is the default of `momentum`?
A:
"""
STORIES = (
    ("settings.svg", "cards/deck.toml", SETTINGS, "check cards", "ptcards check finds wrong settings"),
    ("notes.svg", "vault/optim.md", VAULT, "check vault", "ptcards check recognises the notes of a vault"),
    ("import.svg", "list.md", LIST, "import list.md deck --from qa", "ptcards import reports what it wrote"),
)


@at_both_widths
@pytest.mark.parametrize("story", STORIES, ids=[name for name, *_ in STORIES])
def test_the_picture_of_a_page_is_what_its_command_prints(
    story: tuple[str, str, str, str, str], tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    name, file, text, command, title = story
    (tmp_path / file).parent.mkdir(exist_ok=True)
    files = {"cards/a.md": NEW} if file.startswith("cards") else {}
    session = (({**files, file: text}, tuple(command.split())),)
    shown = type_session(session, columns=columns, folder=tmp_path, env={})
    _compare(name, shown, title, columns, request)


PUSHED = """\
# Autograd

## What does `detach()` return?
<!-- card: id=detach difficulty=easy -->

A tensor that shares the data and is cut off from the graph.

## What is a leaf tensor?
<!-- card: id=leaf difficulty=easy -->

A tensor that no recorded operation made.

## Why does evaluation run under `torch.no_grad()`?
<!-- card: id=no-grad difficulty=easy -->

It stops autograd from recording a graph.
"""
SAVED = (
    PUSHED.replace("made.", "made, such as a parameter.").replace("a graph.", "a graph: less memory.")
    + """
## What clears gradients?
<!-- card: id=zero-grad difficulty=easy -->

`optimizer.zero_grad()` does, because `backward()` adds to them.
"""
)


@at_both_widths
@pytest.mark.usefixtures("cards")
def test_the_pictures_of_push_and_pull_are_what_they_print(
    tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "profile").mkdir()
    with anki_connect(tmp_path / "profile") as anki:
        env = {"PTCARDS_ANKI_URL": anki.url, "XDG_STATE_HOME": str(tmp_path / "state")}

        def type_in(text: str, *command: str) -> str:
            session = (({"cards/autograd.md": text}, command),)
            shown = type_session(session, columns=columns, folder=tmp_path, env=env)
            return re.sub(r"\d+\.\d\d s", "0.12 s", shown)

        type_in(PUSHED, "push", "cards")
        question = '"Question:*{}*"'.format
        anki.do("edit", question("detach"), {"Answer": "<p>A <b>view</b> of it, cut off from the graph.</p>"})
        anki.do("edit", question("leaf"), {}, "mine")
        text = type_in(SAVED, "push", "cards")
        _compare(
            "push.svg",
            text,
            "ptcards push adds, updates and merges, and keeps what you edited in Anki",
            columns,
            request,
        )
        text = type_in(SAVED, "pull", "cards", "--write")
        _compare(
            "pull.svg",
            text,
            "ptcards pull writes into the Markdown what you edited in Anki",
            columns,
            request,
        )


@at_both_widths
def test_the_picture_of_a_damaged_lock_is_what_build_prints(
    tmp_path: Path, cards: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    build = ("build", "cards")
    type_session((({"cards/autograd.md": OLD}, build),), columns=columns, folder=tmp_path, env={})
    lock = (cards / "deck.lock").read_text("utf-8").splitlines()
    merged = "\n".join([*lock[:-1], "<<<<<<< HEAD", lock[-1], "=======", ">>>>>>> reworded", ""])
    text = type_session((({"cards/deck.lock": merged}, build),), columns=columns, folder=tmp_path, env={})
    _compare("reliability.svg", text, "ptcards build refuses a lock with a merge conflict", columns, request)


@at_both_widths
@pytest.mark.usefixtures("cards")
def test_the_picture_of_an_import_is_what_anki_did(
    tmp_path: Path, columns: int, request: pytest.FixtureRequest
) -> None:
    package = tmp_path / "out" / "pytorch.apkg"

    def release(text: str, day: int) -> Path:
        session = (({"cards/autograd.md": text}, ("build", "cards", "-q", "-o", "out")),)
        env = {"SOURCE_DATE_EPOCH": str(1_700_000_000 + 86_400 * day)}
        type_session(session, columns=columns, folder=tmp_path, env=env)
        return package

    why, leaf, detach = re.findall(r"^## .*?(?=^## |\Z)", NEW, re.MULTILINE | re.DOTALL)
    with learner(tmp_path / "anki") as collection:
        owner = Learner(collection)
        first = owner.get(release(OLD, 0))
        owner.study()
        guids = {_plain(question): guid for guid, question in owner.questions.items()}
        owner.edit(guids["What is a leaf tensor?"], "Answer", "A tensor that I made myself.")
        second = owner.get(release(f"# Autograd\n\n{why}{re.sub('module', 'model', leaf)}{detach}", 1))
        rows = [
            f"{_plain(note['Question'])}\n    {_plain(note['Answer'])}   log entries: {len(owner.progress[guid][0][-1])}"
            for guid, note in notes_by_guid(collection).items()
        ]
    lines = [
        f"import release 1.0 into Anki {buildinfo.version}: {_counts(first)}",
        "the learner answers and reschedules both cards, and edits the answer about leaf tensors",
        f"import release 1.1, with a reworded and a new question: {_counts(second)}",
        "",
        "in Anki afterwards:",
        "",
        *rows,
        "",
    ]
    if columns == NARROW:
        lines = [part for line in "\n".join(lines).split("\n") for part in _wrapped(line)]
    _compare(
        "anki.svg", "\n".join(lines), "An update keeps reviews and the learner's own edits", columns, request
    )


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(re.sub(r"(?<=\S) +", " ", line), NARROW, subsequent_indent=f"{indent}  ") or [""]


_SHOWN_AS = {"duplicate": "unchanged"}


def _plain(field: str) -> str:
    return re.sub(r"<[^>]*>", "", field).strip()


def _counts(log: dict[str, int]) -> str:
    return ", ".join(f"{count} {_SHOWN_AS.get(outcome, outcome)}" for outcome, count in log.items())


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_the_colours_of_a_terminal_can_be_read(colours: Mapping[str, str]) -> None:
    assert {name: colour for name, colour in colours.items() if contrast(colour, colours["paper"]) < 7} == {
        "paper": colours["paper"]
    }


@pytest.mark.parametrize("ending", [".webp", ".dark.webp", ".narrow.webp", ".narrow.dark.webp"])
def test_the_animated_picture_is_short_small_and_moves(ending: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="the pictures need the `browser` extra")
    file = PICTURES / f"demo{ending}"
    with image.open(file) as picture:
        frames = picture.n_frames
        times = []
        for n in range(frames):
            picture.seek(n)
            picture.load()
            times.append(picture.info["duration"])
    assert (frames > 20, sum(times) <= 10_000, file.stat().st_size <= 2_000_000) == (True, True, True)


def _compare(name: str, text: str, title: str, columns: int, request: pytest.FixtureRequest) -> None:
    shown = without_progress(text).partition("exit status")[0]
    if columns == NARROW:
        name, shown = name.replace(".svg", ".narrow.svg"), folded(shown, columns)
    drawn, file = picture_of(shown, title), PICTURES / name
    if request.config.getoption("--update"):
        file.write_text(drawn, "utf-8")
    assert file.read_text("utf-8") == drawn
