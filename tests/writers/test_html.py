"""The content of the HTML file for studying; `test_html_page.py` tests it in a browser."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import html5lib
import pytest

from conftest import Ran
from handmade import COLLECTION_ID, media_file, rendered
from html_files import HOSTILE, every_kind, hostile_notes, written
from ptcards.anki.built_in_notetypes import FIELDS, note_types
from ptcards.anki.cards import card_sides
from ptcards.anki.mathml import with_math
from ptcards.files import OutputError
from ptcards.notes import plain_name
from ptcards.notes.rendered import RenderedNote


def parts(file: Path) -> dict[str, str]:
    """Return the text of the page's script and style elements, as a browser's parser finds them."""
    tree = html5lib.parse(file.read_text("utf-8"), namespaceHTMLElements=False)
    found = [*tree.iter("script"), *tree.iter("style")]
    assert [(element.tag, element.get("id")) for element in found] == [
        ("script", "data"),
        ("script", None),
        ("style", None),
    ]
    data, script, style = (element.text or "" for element in found)
    policy = next(meta.get("content") or "" for meta in tree.iter("meta") if meta.get("http-equiv"))
    return {
        "data": data,
        "script": script,
        "style": style,
        "policy": policy,
        "title": tree.findtext("head/title") or "",
    }


def sides(data: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the sides of every card, assembled as the page does."""

    def side(shell: int, fields: list[str]) -> str:
        return re.sub("[\x0e-\x1a]", lambda mark: fields[ord(mark[0]) - 0x0E], data["shells"][shell])

    return {
        f"{guid}/{ordinal}": tuple(side(shell, fields) for shell in shells)
        for guid, _, _, _, _, fields, cards in data["notes"]
        for ordinal, *shells in cards
    }


def test_cards_in_the_file_are_those_of_anki_with_math_as_mathml(tmp_path: Path) -> None:
    notes = every_kind()
    types = {each.key: each for each in note_types(COLLECTION_ID, "My deck", "")}
    expected = {
        f"{note.guid}/{side.ordinal}": tuple(
            re.sub("hint[0-9a-f]{16}", "hint", with_math(text)) for text in (side.front, side.back)
        )
        for note in notes
        for side in card_sides(note, types[note.note_type])
    }
    data = json.loads(parts(written(tmp_path / "a.html", notes))["data"])
    assert sides(data) == expected
    assert data["css"] == types["qa"].css
    assert [note[1:5] for note in data["notes"][:3]] == [
        [0, "basic", "hard", [0, 1]],
        [1, "reversed", "easy", []],
        [2, "typed", "", []],
    ]


def test_the_list_and_the_search_get_clozes_without_the_marks_of_deletions(tmp_path: Path) -> None:
    answer = "<p>A {{c1::view::what}} stores\n{{c2::a\nquery}}.</p>"
    note = rendered("g", {"Answer": answer}, note_type="cloze")
    [row] = json.loads(parts(written(tmp_path / "a.html", [note]))["data"])["notes"]
    assert row[5][:2] == ["", "<p>A view stores\na\nquery.</p>"]


def test_markup_that_repeats_stands_once(tmp_path: Path) -> None:
    notes = [
        rendered(
            f"g{n:04}",
            {"Question": f"<p>question {n}?</p>", "Answer": f"<p>answer {n}</p>", "Hint": f"hint {n}"},
        )
        for n in range(1000)
    ]
    data = json.loads(parts(written(tmp_path / "a.html", notes))["data"])
    assert len(data["shells"]) == 2
    assert len(json.dumps(data["notes"])) < 160 * len(notes)


def test_the_policy_names_what_is_in_the_file_and_nothing_else(tmp_path: Path) -> None:
    found = parts(written(tmp_path / "a.html", every_kind()))

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert found["policy"] == (
        f"default-src 'none'; script-src 'sha256-{digest(found['script'])}'; style-src 'sha256-{digest(found['style'])}'; "
        "img-src data:; media-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def test_the_same_notes_give_the_same_bytes(tmp_path: Path) -> None:
    picture = media_file(tmp_path / "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    notes = [*every_kind(), rendered("p", {"Question": f'<img src="{picture.name}">'}, media=(picture,))]
    first = written(tmp_path / "one" / "a.html", notes).read_bytes()
    assert written(tmp_path / "two" / "a.html", notes).read_bytes() == first


def test_media_are_in_the_file_once(tmp_path: Path) -> None:
    content = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    picture = media_file(tmp_path / "a.svg", content)
    notes = [
        rendered(f"p{n}", {"Question": f'<img src="{picture.name}">'}, media=(picture,)) for n in range(2)
    ]
    data = json.loads(parts(written(tmp_path / "a.html", notes))["data"])
    assert data["media"] == {picture.name: f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"}


def test_a_picture_that_changed_meanwhile_stops_the_build(tmp_path: Path) -> None:
    picture = media_file(tmp_path / "a.svg", b"<svg/>")
    picture.file.write_bytes(b"<svg>changed</svg>")
    with pytest.raises(OutputError, match="changed during the build"):
        written(tmp_path / "a.html", [rendered("p", {"Question": "q"}, media=(picture,))])
    assert not (tmp_path / "a.html").exists()


def test_hostile_cards_stay_inside_the_data(tmp_path: Path) -> None:
    notes = hostile_notes()
    found = parts(written(tmp_path / "a.html", notes, config=HOSTILE))
    assert found["title"] == HOSTILE.name
    data = json.loads(found["data"])
    assert [note[5] for note in data["notes"]] == [_trimmed(note) for note in notes]


def _trimmed(note: RenderedNote) -> list[str]:
    fields = [
        plain_name(each, on_one_line=False) if note.note_type == "cloze" else each for each in note.fields
    ]
    shown = [
        "" if name in {"Reversed", "Extra 1", "Extra 2"} else field
        for name, field in zip(FIELDS, fields, strict=True)
    ]
    return shown[: 1 + max(n for n, each in enumerate(shown) if each)]


def test_the_command_writes_it(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    (tmp_path / "a.md").write_text("# T\n\n## One?\n\n1\n", encoding="utf-8")
    ran = ptcards("build", tmp_path / "a.md", "-o", tmp_path / "out", "--format", "html", "-q")
    assert ran.status == 0
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["a.html"]
    assert parts(tmp_path / "out" / "a.html")["title"] == "A"
