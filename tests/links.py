"""Links in a cloned collection that lead out of its folder, to files that are not the author's."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ptcards.writers import DEFAULTS, ENDINGS

SECRET = "a-word-that-nobody-may-read"
COMMANDS = (
    ("check",),
    ("check", "--format", "json"),
    ("check", "--fix"),
    ("build",),
    ("build", *(word for name in ENDINGS if name not in DEFAULTS for word in ("--format", name))),
    ("build", "--locked"),
    ("diff", "../before"),
    ("init",),
)
"""The commands to run in the collection's folder."""

_TOML = 'name = "Deck"\nid = "deck"\ncss = "look.css"\n'
_FILES = {
    "deck.toml": _TOML,
    "look.css": ".card { color: red }\n",
    "a.md": "# T\n\n## One?\n<!-- card: id=one -->\n\n![p](p.png) Yes.\n",
    "p.png": "PNG",
}


@dataclass(frozen=True)
class Link:
    """A file of the collection that links to a file outside with `content`."""

    name: str
    content: str


def _inside_and_out(target: str) -> Iterator[tuple[str, str]]:
    """Yield ways to write a link out of the collection's folder."""
    yield "relative", f"../outside/{target}"
    yield "absolute", f"{{world}}/outside/{target}"
    yield "through a link in the collection", f"way/{target}"
    yield "through a folder and back", f"sub/../../outside/{target}"


LINKS = (
    Link("a.md", f"## {SECRET}?\n\n{SECRET}\n"),
    Link("z.md", f"## {SECRET}?\n\n{SECRET}\n"),
    Link("sub/z.md", f"not a note {SECRET}\n"),
    Link("deck.toml", f"name = {SECRET}\n"),
    Link("deck.toml", f'name = "{SECRET}"\nid = "deck"\n'),
    Link("deck.lock", f"{SECRET}\n"),
    Link("deck.lock", f"ptcards-lock\t3\tdeck\n{SECRET}\n"),
    Link("look.css", f"/* {SECRET} */\n"),
    Link("p.png", SECRET),
    Link("build", ""),
    Link(".gitattributes", f"{SECRET}\n"),
)
CASES = tuple(
    (f"{link.name} {way}, {'a folder' if not link.content else link.content.split()[0]}", link, target)
    for link in LINKS
    for way, target in _inside_and_out("there")
)
"""Title, link and target."""

Run = Callable[..., tuple[int, str]]
"""Run `ptcards` in a folder with these arguments; return its exit status and all that it printed."""


def leaks(world: Path, link: Link, target: str, run: Run) -> list[str]:
    """Run every command in a collection with a link; return what was shown or written of files outside."""
    outside, clone = world / "outside", world / "clone"
    _make(world, link, target, run)
    was = _seen(outside)
    found = []
    for command in COMMANDS:
        status, said = run(clone, *command)
        is_refused = status != 0 or link.name in (".gitattributes", "build")
        if SECRET in said or "Traceback" in said:
            found.append(f"{' '.join(command)} shows it: {said}")
        if command[0] in ("check", "build") and not is_refused:
            found.append(f"{' '.join(command)} refuses nothing: {said}")
        if _seen(outside) != was:
            found.append(f"{' '.join(command)} writes: {sorted(_seen(outside))}")
    plain = [file for file in clone.rglob("*") if file.is_file() and not file.is_symlink()]
    return found + [f"{file.name} holds it" for file in plain if SECRET.encode() in file.read_bytes()]


def _make(world: Path, link: Link, target: str, run: Run) -> None:
    """Create a collection, build it once, and add the link."""
    outside, clone = world / "outside", world / "clone"
    (clone / "sub").mkdir(parents=True)
    outside.mkdir()
    for name, content in _FILES.items():
        (clone / name).write_text(content, "utf-8")
    run(clone, "build", "-o", str(world / "before"))
    for name in ("deck.toml", "deck.lock", "look.css"):
        shutil.copy(clone / name, world / "before")
    if link.content:
        (outside / "there").write_text(link.content, "utf-8")
    else:
        (outside / "there").mkdir()
    (clone / "way").symlink_to(outside)
    place = clone / link.name
    place.unlink(missing_ok=True)
    way = target.format(world=world)
    place.symlink_to(way if way.startswith("/") else os.path.relpath(clone / way, place.parent))


def _seen(folder: Path) -> dict[str, bytes]:
    """Return the names and contents of all files below a folder."""
    return {
        str(each.relative_to(folder)): each.read_bytes() if each.is_file() else b""
        for each in folder.rglob("*")
    }
