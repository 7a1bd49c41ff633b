"""Files outside a collection are not read, shown or written to through links, and refusals are reported."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from links import CASES, LINKS, Link, leaks
from ptcards.source.media import media_name
from serving import KINDS, serving, write_files

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "Deck"\nid = "deck"\n'
NOTE = "## One?\n<!-- card: id=one -->\n\n1\n"
SECRET = b"a-word-that-nobody-may-read"


@pytest.mark.parametrize(
    ("link", "target"),
    [pytest.param(link, target, id=title) for title, link, target in CASES[:: len(LINKS) // 2]],
)
def test_a_link_out_of_the_collection_leads_nowhere(
    link: Link, target: str, tmp_path: Path, ptcards: Ptcards, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(folder: Path, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        ran = ptcards(*arguments)
        return ran.status, f"{ran.out}{ran.err}"

    assert leaks(tmp_path, link, target, run) == []


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("z.md", "z.md:1:1: error[outside-collection] is outside the collection"),
        ("deck.toml", "deck.toml:1:1: error[outside-collection] is outside the collection"),
        ("deck.lock", "deck.lock:1:1: error[outside-collection] is outside the collection"),
        ("look.css", "deck.toml:3:1: error[outside-collection] `look.css` is outside the collection"),
    ],
)
def test_what_leads_out_is_named_with_its_place(
    name: str, place: str, write: Write, ptcards: Ptcards, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = f'{TOML}css = "look.css"\n'
    root = write({"c/deck.toml": toml, "c/look.css": "", "c/a.md": NOTE, "outside": SECRET})
    (root / "c" / name).unlink(missing_ok=True)
    (root / "c" / name).symlink_to("../outside")
    monkeypatch.chdir(root / "c")
    ran = ptcards("build")
    assert (ran.status, ran.err.split("\n")[0]) == (1 if name == "z.md" else 2, place)
    assert not (root / "c" / "build").exists()


def test_links_from_one_place_of_the_collection_to_another_are_followed(
    write: Write, ptcards: Ptcards
) -> None:
    files = {
        "c/deck.toml": f'{TOML}css = "look.css"\n',
        "c/_/a.md": f"{NOTE}\n![p](p.png)\n",
        "c/_/look.css": "b {}",
        "c/_/p.png": "P",
    }
    root = write({**files, "plain/x": ""})
    for name in ("a.md", "look.css", "p.png"):
        (root / "c" / name).symlink_to(f"_/{name}")
    assert ptcards("build", root / "c", "-o", root / "linked").status == 0
    for name in ("a.md", "look.css", "p.png"):
        (root / "c" / name).unlink()
        (root / "c" / name).write_bytes((root / "c" / "_" / name).read_bytes())
    assert ptcards("build", root / "c", "-o", root / "plain").status == 0
    assert (root / "linked" / "deck.apkg").read_bytes() == (root / "plain" / "deck.apkg").read_bytes()


def test_build_is_not_written_through_a_link_that_nobody_named(
    write: Write, ptcards: Ptcards, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE, "elsewhere/x": ""})
    (root / "c" / "build").symlink_to("../elsewhere")
    monkeypatch.chdir(root / "c")
    reason = "it links to a place outside this folder; choose a folder with `-o`"
    assert ptcards("build") == Ran(1, "", f"error: cannot write `build`: {reason}\n")
    assert ptcards("build", "-o", "build").status == 0
    assert sorted(file.name for file in (root / "elsewhere").iterdir()) == ["deck.apkg", "deck.csv", "x"]


def test_cards_that_are_a_link_out_of_the_folder_have_to_be_named(
    write: Write, ptcards: Ptcards, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"clone/x": "", "outside/deck.toml": TOML, "outside/a.md": NOTE})
    (root / "clone" / "cards").symlink_to("../outside")
    monkeypatch.chdir(root / "clone")
    said = "error: `cards` links to a place outside this folder\nhelp: name the folder that it links to\n"
    for command in ("build", "check", "diff"):
        ran = ptcards(command)
        assert ran == Ran(2, "", said)
    assert ptcards("check", "cards").status == 0


def test_what_was_built_before_is_refused_as_soon_as_it_is_a_link(write: Write, ptcards: Ptcards) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE, "outside.md": NOTE})
    build = ("build", root / "c", "-o", root / "out")
    assert [ptcards(*build).status for _ in range(3)] == [0, 0, 0]
    (root / "c" / "a.md").unlink()
    (root / "c" / "a.md").symlink_to("../outside.md")
    ran = ptcards(*build)
    assert (ran.status, ran.err.split("\n")[0]) == (
        1,
        "c/a.md:1:1: error[outside-collection] is outside the collection",
    )


@pytest.mark.parametrize(
    "name", ["c/a.md", "c/deck.toml", "c/deck.lock", "c/look.css", "c/p.png", "out/deck.csv"]
)
def test_a_pipe_in_the_place_of_a_file_blocks_nothing(name: str, write: Write, ptcards: Ptcards) -> None:
    source = f"{NOTE}\n![p](p.png)\n"
    root = write(
        {"c/deck.toml": f'{TOML}css = "look.css"\n', "c/look.css": "", "c/a.md": source, "c/p.png": "P"}
    )
    build = ("build", root / "c", "-o", root / "out")
    assert [ptcards(*build).status for _ in range(2)] == [0, 0]
    (root / name).unlink()
    os.mkfifo(root / name)
    ran = ptcards(*build)
    if name == "out/deck.csv":
        assert (ran.status, (root / name).is_file()) == (0, True)
    else:
        assert ran.status in (1, 2)
        assert "not a regular file" in ran.err or "no file `look.css`" in ran.err


@pytest.mark.slow
def test_a_picture_that_became_a_link_is_not_served(tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    outside.write_bytes(SECRET)
    source = "# P\n\n## Picture?\n<!-- card: id=p -->\n\n![p](p.png) Yes.\n"
    root = write_files(tmp_path / "kinds", KINDS | {"p.md": source, "p.png": "PNG"})
    with serving(root) as server:
        server.state()
        name = media_name(root / "p.png", hashlib.sha256(b"PNG").hexdigest())
        request = f"GET /media/{name} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
        assert server.ask(request).endswith(b"\r\n\r\nPNG")
        (root / "new.png").symlink_to(outside)
        (root / "new.png").replace(root / "p.png")
        answer = server.ask(request)
        assert (SECRET in answer, answer.split(b"\r\n")[0]) == (False, b"HTTP/1.1 404 Not Found")
