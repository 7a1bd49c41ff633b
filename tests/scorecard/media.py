"""Row 17: pictures that are missing, outside the collection, not files, or duplicates."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from anki_backend import import_package, learner, notes_by_guid
from scorecard.command import ptcards
from scorecard.row import Effort, Measurement, Result, Row


@dataclass(frozen=True)
class Trap:
    """Files next to a source that shows some addresses.

    `rule` refuses each of them; without a rule, each arrives with its own content.
    """

    addresses: tuple[str, ...]
    rule: str = ""
    files: tuple[str, ...] = ()
    links: dict[str, str] = field(default_factory=dict)


_LONG = "n" * 200 + ".png"
TRAPS = {
    "missing": Trap(("no.png",), "missing-media"),
    "missing in a folder": Trap(("no/no.png",), "missing-media"),
    "other case": Trap(("A.PNG",), "missing-media", ("a.png",)),
    "above": Trap(
        ("../outside.png", "x/../../outside.png", "%2e%2e/outside.png"), "unsafe-media", ("x/a.png",)
    ),
    "absolute": Trap(("/etc/passwd",), "unsafe-media"),
    "file address": Trap(("file:///etc/passwd",), "remote-media"),
    "remote": Trap(
        ("https://evil.example/a.png", "//evil.example/a.png", "data:image/png;base64,AA=="), "remote-media"
    ),
    "link to outside": Trap(("l.png",), "unsafe-media", links={"l.png": "../outside.png"}),
    "link to a device": Trap(("l.png",), "unsafe-media", links={"l.png": "/dev/zero"}),
    "linked folder": Trap(("l/outside.png",), "unsafe-media", links={"l": ".."}),
    "link to itself": Trap(("l.png",), "missing-media", links={"l.png": "l.png"}),
    "link to nowhere": Trap(("l.png",), "missing-media", links={"l.png": "gone.png"}),
    "folder": Trap(("d",), "unsafe-media", ("d/a.png",)),
    "pipe": Trap(("pipe.png",), "unsafe-media"),
    "empty": Trap(("empty.png",), "empty-media"),
    "too long a name": Trap(("n" * 300 + ".png",), "missing-media"),
    "zero byte": Trap(("a%00.png",), "missing-media", ("a.png",)),
    "twins in two folders": Trap(("a/x.png", "b/x.png"), "", ("a/x.png", "b/x.png")),
    "twins by case": Trap(("x.png", "X.png"), "", ("x.png", "X.png")),
    "twins by Unicode": Trap(("\u00e9.png", "e\u0301.png"), "", ("\u00e9.png", "e\u0301.png")),
    "link inside": Trap(("l.png",), "", ("a.png",), {"l.png": "a.png"}),
    "names that Anki changes": Trap(
        ("a:b.png", "q%3F.png", "con.png", "a&b.png", "a'b.png", '<a"b*.png>'),
        "",
        ("a:b.png", "q?.png", "con.png", "a&b.png", "a'b.png", 'a"b*.png'),
    ),
    "long name": Trap((_LONG,), "", (_LONG,)),
    "spaces": Trap(("<a b.png>", "c%20d.png", "%25.png"), "", ("a b.png", "c d.png", "%.png")),
    "other scripts": Trap(("圖.png", "🙂.png", "ש.png"), "", ("圖.png", "🙂.png", "ש.png")),
    "dots": Trap(("./a.png", ".hidden.png", "a..png"), "", ("a.png", ".hidden.png", "a..png")),
    "no ending": Trap(("plain",), "", ("plain",)),
    "same content": Trap(("s1.png", "s2.png"), "", ("s1.png", "s2.png")),
}


def _measure(effort: Effort) -> tuple[Result, ...]:
    (effort.folder / "outside.png").write_bytes(b"secret")
    faults = []
    for number, (name, trap) in enumerate(TRAPS.items()):
        faults += [f"{name}: {fault}" for fault in _caught(trap, effort.folder, number)]
    return (
        Result(
            f"{len(TRAPS) - len({each.split(':')[0] for each in faults})} of {len(TRAPS)}",
            not faults,
            tuple(faults),
        ),
    )


def _caught(trap: Trap, folder: Path, number: int) -> list[str]:
    cards = folder / f"{number}"
    cards.mkdir()
    (cards / "deck.toml").write_text('name = "Media"\nid = "media"\n', "utf-8")
    for file in trap.files:
        (cards / file).parent.mkdir(exist_ok=True)
        (cards / file).write_bytes(b"same" if file in ("s1.png", "s2.png") else f"content of {file}".encode())
    for link, target in trap.links.items():
        (cards / link).symlink_to(target)
    os.mkfifo(cards / "pipe.png")
    (cards / "empty.png").touch()
    shown = "\n\n".join(f"Look:\n![p]({address})" for address in trap.addresses)
    (cards / "a.md").write_text(f"## Which?\n\n{shown}\n", "utf-8")
    out = folder / f"out{number}"
    ran = ptcards("build", cards, "-o", out)
    found = re.findall(r"a\.md:(\d+):\d+: error\[([a-z-]+)\]", ran.err)
    if trap.rule:
        lines = [str(4 + 3 * position) for position in range(len(trap.addresses))]
        wanted = [(line, trap.rule) for line in lines]
        return (
            []
            if ran.status == 1 and found == wanted and not out.exists()
            else [f"{ran.status} {found}, not {wanted}"]
        )
    if ran.status:
        return [ran.err]
    with learner(folder / f"anki{number}") as anki:
        import_package(anki, out / "media.apkg")
        (note,) = notes_by_guid(anki).values()
        shown_names = re.findall(r'src="([^"]*)"', note["Answer"])
        stored = {file.name: file.read_bytes() for file in Path(anki.media.dir()).iterdir()}
        check = anki.media.check()
    packed = [stored.get(name.replace("&amp;", "&"), b"nothing") for name in shown_names]
    names = trap.files if not trap.links else ("a.png",)
    wanted_contents = [(cards / name).read_bytes() for name in names]
    faults = [] if packed == wanted_contents else [f"shows {packed}, not {wanted_contents}"]
    return (
        faults + [f"missing {name}" for name in check.missing] + [f"unused {name}" for name in check.unused]
    )


MEASUREMENT = Measurement(
    (
        Row(
            17,
            "pictures that are missing, outside the collection, not files, oddly named or duplicates: reported with their location, or in Anki with the right content",
            "all",
        ),
    ),
    _measure,
)
