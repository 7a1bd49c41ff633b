"""`ptcards draw`, with stand-ins for the author's programs."""

import asyncio
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drawing_programs import DRAWS, SVG, install

from conftest import Ran
from ptcards.extensions.drawing import tools
from ptcards.extensions.drawing.cli.draw import drawer
from ptcards.extensions.verify.sandbox import RefusedError, find_sandbox

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\n'
ALL = ("d2", "dot", "mmdc", "typst", "vl2svg")
OPEN = "no sandbox here: the programs can read your files and use the network\n"


def question(*fences: tuple[str, str], title: str = "What follows?") -> str:
    blocks = "\n".join(f'```{language} alt="A"\n{text}\n```\n' for language, text in fences)
    return f"## {title}\n\nThis one:\n\n{blocks}\n"


def name_of(language: str, text: str, *, dark: bool = False) -> str:
    digest = hashlib.sha256(f"{language}\0{text}".encode()).hexdigest()[:16]
    return f"{digest}{'.dark' if dark else ''}.svg"


def drawn(text: str) -> str:
    """Return what is written of a drawing by a stand-in."""
    return (
        SVG.format(text)
        .replace(' xmlns="http://www.w3.org/2000/svg"', "")
        .replace("><text", ' xmlns="http://www.w3.org/2000/svg"><text')
        + "\n"
    )


def pictures(root: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted((root / "img/drawn").glob("*"))}


@pytest.fixture
def draw(ptcards: Ptcards, tmp_path: Path) -> Ptcards:
    """Draw with stand-ins for all programs, whether there is a sandbox or not."""
    path = install(tmp_path / "bin", *ALL)

    def run(*arguments: str | Path, path: str = path) -> Ran:
        ran = ptcards("draw", *arguments, env={"PATH": path})
        return Ran(ran.status, ran.out, ran.err.replace(OPEN, ""))

    return run


def test_a_diagram_is_drawn_by_day_and_at_night_with_the_program_for_its_language(
    draw: Ptcards, write: Write
) -> None:
    texts = {language: f"a {language}" for language in ("d2", "dot", "mermaid", "typst", "vega-lite")}
    root = write({"cards/deck.toml": TOML, "cards/a.md": question(*texts.items())}) / "cards"
    day = {language: name_of(language, text) for language, text in texts.items()}
    night = {language: name_of(language, text, dark=True) for language, text in texts.items()}
    lines = zip(texts, (5, 9, 13, 17, 21), strict=True)
    told = [
        f"drew cards/a.md:{line}:1 ({each}): img/drawn/{day[each]}, {night[each]}" for each, line in lines
    ]
    assert draw(root) == Ran(0, "", "\n".join([*told, "Drew 5 diagrams, 0 kept", ""]))
    program = dict(zip(texts, ALL, strict=True))
    arguments = {"d2": (5, 5), "dot": (2, 9), "mermaid": (11, 13), "typst": (7, 7), "vega-lite": (0, 0)}
    if _has_sandbox():  # the browser has none of its own in it
        arguments["mermaid"] = (13, 15)
    assert pictures(root) == dict(
        sorted(
            pair
            for each in texts
            for pair in (
                (day[each], drawn(f"{program[each]} {arguments[each][0]}")),
                (night[each], drawn(f"{program[each]} {arguments[each][1]}")),
            )
        )
    )


def _has_sandbox() -> bool:
    try:
        find_sandbox()
    except RefusedError:
        return False
    return True


def test_a_second_run_starts_no_program_and_a_changed_diagram_replaces_its_pictures(
    draw: Ptcards, write: Write
) -> None:
    root = write(
        {"deck.toml": TOML, "a.md": question(("dot", "one"), ("dot", "two")), "img/drawn/mine.svg": "<svg/>"}
    )
    draw(root)
    one, two, three = (name_of("dot", text) for text in ("one", "two", "three"))
    assert draw(root, path="") == Ran(0, "", "Drew 0 diagrams, 2 kept\n")
    write({"a.md": question(("dot", "one"), ("dot", "three"))})
    dark, gone = three.replace(".svg", ".dark.svg"), two.replace(".svg", ".dark.svg")
    deleted = [f"deleted img/drawn/{name}: no diagram has this drawing" for name in sorted((two, gone))]
    assert draw(root) == Ran(
        0,
        "",
        "\n".join(
            [
                f"drew a.md:9:1 (dot): img/drawn/{three}, {dark}",
                *deleted,
                "Drew 1 diagram, 1 kept",
                "",
            ]
        ),
    )
    assert sorted(pictures(root)) == sorted([one, one.replace(".svg", ".dark.svg"), three, dark, "mine.svg"])


def test_a_diagram_with_its_own_colours_is_drawn_for_white_paper_only(draw: Ptcards, write: Write) -> None:
    coloured = (
        "a [color=red]",
        "a [fontcolor = blue]",
        "style A fill:#f9f",
        "theme: dark",
        '{"color": "red"}',
    )
    plain = ("a [style=dashed]", '{"color": {"field": "a"}}', "colour the graph")
    root = write({"deck.toml": TOML, "a.md": question(*(("dot", text) for text in (*coloured, *plain)))})
    draw(root)
    dark = [name_of("dot", text, dark=True) for text in plain]
    assert sorted(pictures(root)) == sorted([*(name_of("dot", text) for text in (*coloured, *plain)), *dark])


def test_an_error_of_a_program_is_at_the_line_of_its_diagram_and_the_others_are_drawn(
    draw: Ptcards, write: Write
) -> None:
    root = write({"deck.toml": TOML, "a.md": question(("dot", "wrong"), ("d2", "right"), ("dot", "hostile"))})
    ran = draw(root)
    found = re.findall(r"^a\.md:.*|^drew.*|^Drew.*", ran.err, re.MULTILINE)
    right = name_of("d2", "right")
    assert (ran.status, found, sorted(pictures(root))) == (
        1,
        [
            f"drew a.md:9:1 (d2): img/drawn/{right}, {right.replace('.svg', '.dark.svg')}",
            "a.md:5:1: error[drawing-failed] dot: Error: syntax error in line 1; near 'wrong'",
            "a.md:13:1: error[drawing-failed] the drawing refers to `url('https://example.org/a.png')`, which is not in it",
            "Drew 1 diagram, 0 kept",
        ],
        sorted([right, right.replace(".svg", ".dark.svg")]),
    )


def test_a_missing_program_is_an_error_of_each_of_its_diagrams_and_the_others_are_drawn(
    draw: Ptcards, write: Write, tmp_path: Path
) -> None:
    root = write({"deck.toml": TOML, "a.md": question(("mermaid", "a"), ("dot", "b"), ("mermaid", "c"))})
    install(tmp_path / "some", "dot")
    ran = draw(root, path=f"{tmp_path / 'some'}:/bin")
    found = re.findall(r"^a\.md:.*|^drew.*|^Drew.*|help: .*", ran.err, re.MULTILINE)
    dot = name_of("dot", "b")
    assert (ran.status, found) == (
        1,
        [
            f"drew a.md:9:1 (dot): img/drawn/{dot}, {dot.replace('.svg', '.dark.svg')}",
            "a.md:5:1: error[drawing-failed] `mmdc` is not on PATH",
            "help: get it with `npm install -g @mermaid-js/mermaid-cli`",
            "a.md:13:1: error[drawing-failed] `mmdc` is not on PATH",
            "help: get it with `npm install -g @mermaid-js/mermaid-cli`",
            "Drew 1 diagram, 0 kept",
        ],
    )


def test_only_the_requested_diagrams_are_drawn_and_those_of_other_files_stay(
    draw: Ptcards, write: Write
) -> None:
    root = write(
        {
            "deck.toml": TOML,
            "0.md": question(("dot", "a"), title="What leads to it?"),
            "a.md": question(("dot", "a")),
            "b.md": question(("dot", "b"), title="What else?"),
            f"img/drawn/{name_of('dot', 'c')}": "<svg/>",
            "c.md": "## Draft?\n<!-- card: draft -->\n\n```dot\nc\n```\n",
        }
    )
    draw(root / "a.md")
    assert sorted(pictures(root)) == sorted(
        [name_of("dot", "a"), name_of("dot", "a", dark=True), name_of("dot", "c")]
    )


def test_nothing_is_deleted_while_a_file_has_an_error(draw: Ptcards, write: Write) -> None:
    old = name_of("dot", "old")
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a")), "b.md": "## What?\n\n```dot\n"})
    write({f"img/drawn/{old}": "<svg/>"})
    assert (draw(root).status, old in pictures(root)) == (0, True)


def test_a_folder_of_drawings_outside_the_collection_is_refused(
    draw: Ptcards, write: Write, tmp_path: Path
) -> None:
    root = write({"in/deck.toml": TOML, "in/a.md": question(("dot", "a")), "out/x": "x"}) / "in"
    (root / "img").mkdir()
    (root / "img/drawn").symlink_to(tmp_path / "out")
    ran = draw(root)
    message = "error: cannot write `in/img/drawn`: it is a link to a place outside the collection\n"
    assert (ran.status, ran.err, [*(tmp_path / "out").iterdir()]) == (1, message, [tmp_path / "out/x"])


def test_no_other_command_starts_a_program(ptcards: Ptcards, write: Write, tmp_path: Path) -> None:
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a"))})
    path = install(tmp_path / "bin", *ALL, script=f"touch {tmp_path}/ran\n{DRAWS}")
    for command in ("check", "build", "diff"):
        ptcards(command, root, env={"PATH": path})
    assert not (tmp_path / "ran").exists()


def test_a_build_without_any_program_writes_the_same_bytes(
    draw: Ptcards, write: Write, tmp_path: Path
) -> None:
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a"), ("typst", "b"))})
    draw(root)
    formats = [word for each in ("apkg", "csv", "html", "anki-csv") for word in ("--format", each)]
    for name, path in (("one", f"{tmp_path / 'bin'}:/usr/bin:/bin"), ("two", str(tmp_path / "empty"))):
        command = [sys.executable, "-m", "ptcards", "build", str(root), "-o", str(tmp_path / name), *formats]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PATH": path})
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two")
    )
    assert (one == two, len(one)) == (True, 4)


def test_a_program_that_does_not_end_is_ended(
    draw: Ptcards, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "SECONDS", 1)
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a"))})
    ran = draw(root, path=install(tmp_path / "slow", "dot", script="sleep 60 & sleep 60\n"))
    assert (ran.status, re.findall(r"^a\.md.*", ran.err, re.MULTILINE)) == (
        1,
        ["a.md:5:1: error[drawing-failed] dot: it takes more than 30 seconds"],
    )


def test_a_chart_that_reads_an_address_is_refused_before_its_program_starts(
    draw: Ptcards, write: Write
) -> None:
    root = write(
        {"deck.toml": TOML, "a.md": question(("vega-lite", '{"data": {"\\u0075rl": "/etc/passwd"}}'))}
    )
    assert re.findall(r"^a\.md.*", draw(root).err, re.MULTILINE) == [
        "a.md:5:1: error[drawing-failed] the chart reads data or pictures from a `url`"
    ]


@pytest.mark.sandbox
def test_a_program_sees_no_file_of_the_author_and_no_network_and_little_memory(
    draw: Ptcards, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a")), "secret": "s"})
    look = f'[ -e {tmp_path}/secret ] && echo "sees the file" >&2\ncat /proc/net/dev | grep -c eth >&2\n'
    ran = draw(root, path=install(tmp_path / "looking", "dot", script=f"{look}exit 3\n"))
    assert re.findall(r"^a\.md.*", ran.err, re.MULTILINE) == ["a.md:5:1: error[drawing-failed] dot: 0"]
    monkeypatch.setattr(tools, "MOST_MEMORY", 64 << 20)
    greedy = "exec tail -n 1 /dev/zero\n"
    ran = draw(root, path=install(tmp_path / "greedy", "dot", script=greedy))
    assert "dot: it uses more than 1 GB of memory" in ran.err


def test_a_preview_draws_what_is_saved_and_says_once_what_is_wrong(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", install(tmp_path / "bin", *ALL))
    root = write({"deck.toml": TOML, "a.md": question(("dot", "a"), ("dot", "wrong"))})
    saved = drawer([root], "")
    asyncio.run(saved())
    first = capsys.readouterr().err
    write({"a.md": question(("dot", "b"), ("dot", "wrong"))})
    asyncio.run(saved())
    second = capsys.readouterr().err
    assert (first.count("drawing-failed"), second.count("drawing-failed"), second.count("drew ")) == (1, 0, 1)
    assert sorted(pictures(root)) == sorted([name_of("dot", "b"), name_of("dot", "b", dark=True)])
