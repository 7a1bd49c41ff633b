"""The pictures and fonts that the collection's own CSS names."""

import base64
import re
import time
from collections.abc import Callable
from pathlib import Path

from anki_backend import import_package, learner
from conftest import Ran
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.workspace import ReadOptions

Ptcards = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "D"\nid = "d"\ncss = "style.css"\n'
NOTE = "## What?\n\nThat.\n"
STYLE = """@font-face { font-family: Own; src: url("_own.woff2?v=2#iefix") format("woff2"), url( '_own.woff2' ) }
/* not url(no.png) */
.card { background-image: url(_logo.png); mask: url(#mask); cursor: url(data:image/png;base64,AA==) }
.ptc { background: url(https://example.org/a.png) }
"""
FILES = {"media/_logo.png": b"logo", "media/_own.woff2": b"font"}


def test_a_learner_gets_the_pictures_and_fonts_that_the_css_names(write: Write, ptcards: Ptcards) -> None:
    root = write({"deck.toml": TOML, "style.css": STYLE, "a.md": NOTE, **FILES})
    assert ptcards("build", root, "-o", root / "build").status == 0
    with learner(root / "anki") as collection:
        import_package(collection, root / "build" / "d.apkg")
        folder = Path(collection.media.dir())
        assert {f"media/{file.name}": file.read_bytes() for file in folder.iterdir()} == FILES


def test_an_address_that_leads_nowhere_is_an_error_at_its_place(write: Write, ptcards: Ptcards) -> None:
    css = ".a { background: url(_logo.png) }\n.b { src: url('media/_own.woff2'), url(logo.png) }\n"
    root = write({"deck.toml": TOML, "style.css": css, "a.md": NOTE, "media/_own.woff2": b"font"})
    ran = ptcards("check", root, "--format", "concise")
    said = "error[missing-media] `{}` leads nowhere on a card"
    assert (ran.status, [line for line in ran.out.splitlines() if "error[" in line]) == (
        1,
        [
            f"style.css:1:22: {said.format('_logo.png')}",
            f"style.css:2:16: {said.format('media/_own.woff2')}",
            f"style.css:2:40: {said.format('logo.png')}",
        ],
    )
    helped = [line.strip() for line in ptcards("check", root, "-v").out.splitlines() if "= help: put" in line]
    assert helped == [
        f"= help: put the file into `media/`, and write `url({name})`"
        for name in ("_logo.png", "_own.woff2", "_logo.png")
    ]


def test_a_build_begins_again_when_a_file_of_the_css_changes(write: Write, ptcards: Ptcards) -> None:
    root = write({"deck.toml": TOML, "style.css": STYLE, "a.md": NOTE})
    packages = []
    for content in (b"one", b"one", b"two"):
        write({"media/_logo.png": content, "media/_own.woff2": b"font"})
        assert ptcards("build", root, "-o", root / "build").status == 0
        packages.append((root / "build" / "d.apkg").read_bytes())
    assert [packages[0] == packages[1], packages[1] == packages[2]] == [True, False]


def test_css_of_any_repetition_is_read_in_time(write: Write, ptcards: Ptcards) -> None:
    for piece in ("url(", "/*", "url( ", "url('", "url(a", "url(a ", 'url("a"', " ", "*/"):
        root = write(
            {"deck.toml": TOML, "style.css": "url(a" + piece * (300_000 // len(piece)), "a.md": NOTE}
        )
        start = time.process_time()
        ptcards("check", root)
        assert time.process_time() - start < 5, piece


def test_the_study_page_has_them_in_itself(write: Write, ptcards: Ptcards) -> None:
    root = write({"deck.toml": TOML, "style.css": STYLE, "a.md": NOTE, **FILES})
    assert ptcards("build", root, "-o", root / "build", "--format", "html").status == 0
    page = (root / "build" / "d.html").read_text("utf-8")
    assert [base64.b64encode(content).decode() in page for content in FILES.values()] == [True, True]


def test_so_has_the_preview(write: Write) -> None:
    root = write({"deck.toml": TOML, "style.css": STYLE, "a.md": NOTE, **FILES})
    (css,) = Preview([root], ReadOptions()).read(identified=False).css
    addresses = re.findall(r"""url\(\s*["']?(data:[\w/-]*;base64,\w{4})""", css)
    font, logo = "data:application/octet-stream;base64,Zm9u", "data:image/png;base64,bG9n"
    assert addresses == [font, font, logo]
