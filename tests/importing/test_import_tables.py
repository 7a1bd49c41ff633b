"""Tables (any CSV with a header row, and Anki's own text export) become collections."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.workspace import Workspace

Run = Callable[..., Ran]

DECK = (
    '---\ndeck: ""\n---\n'
    "\n## France\n<!-- card: tags=eu,x::y -->\n\nParis & \\<b>\n\n### Details\n\n**Hint** not Lyon\n"
    "\n## Spain\n\nMadrid\\\nor so\n"
)


EXPORT = """\
#separator:pipe
#html:true
#columns:Front|Back|Tags|Hint
France|Paris &amp; &lt;b&gt;|eu x::y|not Lyon
Spain|Madrid<br>or so||
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("geo.csv", 'Front,Back,Tags,Hint\nFrance,Paris & <b>,eu x::y,not Lyon\nSpain,"Madrid\nor so",,\n'),
        (
            "geo.tsv",
            'question\tanswer\ttags\tHint\nFrance\tParis & <b>\teu x::y\tnot Lyon\nSpain\t"Madrid\nor so"\t\t\n',
        ),
        (
            "geo.txt",
            EXPORT,
        ),
    ],
)
def test_a_table_with_names_becomes_a_collection(ptcards: Run, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    ran = ptcards("import", tmp_path / name, tmp_path / "out")
    assert (ran.status, (tmp_path / "out" / "geo.md").read_text("utf-8")) == (0, DECK)
    assert (
        f"{name}:1: warning[no-identity] these notes have no GUIDs: learners cannot keep their reviews"
        in ran.err
    )


def test_ankis_own_export_says_what_its_columns_are(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "export.txt").write_text(
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:6\n"
        "a>b\tBasic\tGeo::Europe\tWhat is <b>this</b>?\tThat\tx y\n"
        "cd\tCloze\tGeo\t{{c1::Paris}} is a city\t\t\n"
        "ef\tBasic\tGeo\tno answer\t\t\n"
    )
    ran = ptcards("import", tmp_path / "export.txt", tmp_path / "out", "--name", "Geo")
    assert ran.out == (
        "read export.txt: table, 3 notes\n"
        "decks    Geo 1, Geo::Europe 1\n"
        "fields   3 as Markdown\n"
        "wrote out/: 2 notes in 2 files\n"
        "\n"
        "read     3\n"
        "written  2\n"
        "changed  0\n"
        "left out 1  without a question or an answer\n"
        "            export.txt:9  no answer\n"
    )
    assert "a table does not name note types, so its GUIDs cannot keep reviews" in ran.err
    assert (tmp_path / "out" / "europe.md").read_text() == (
        '---\ndeck: "Europe"\n---\n\n## What is **this**?\n<!-- card: tags=x,y -->\n\nThat\n'
    )
    assert (tmp_path / "out" / "geo.md").read_text() == (
        '---\ndeck: ""\n---\n\n## {{c1::Paris}} is a city\n<!-- card: kind=cloze -->\n'
    )


def test_a_row_without_an_answer_is_answered_by_its_other_columns(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "bali.png").write_bytes(b"png")
    (tmp_path / "geo.csv").write_text(
        '#html:true\nquestion,answer,Info,Map\nBali,,An island.,"<img src=""bali.png"">"\nnothing,,,\n'
    )
    ran = ptcards("import", tmp_path / "geo.csv", tmp_path / "out")
    assert ran.out.partition("\n\n")[2] == (
        "read     2\nwritten  1\n"
        "changed  1  with its other fields as the answer\n            geo.csv:3  Bali\n"
        "left out 1  without a question or an answer\n            geo.csv:4  nothing\n"
    )
    assert (tmp_path / "out" / "geo.md").read_text() == (
        '---\ndeck: ""\n---\n\n## Bali\n\n**Info** An island.\n\n**Map** ![](media/bali.png)\n'
    )


def test_a_picture_as_the_name_of_a_column_is_a_label(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "geo.csv").write_text("question,answer,![x](gone.png)\nOne?,1,more\n")
    assert ptcards("import", tmp_path / "geo.csv", tmp_path / "out").status == 0
    assert (tmp_path / "out" / "geo.md").read_text() == (
        '---\ndeck: ""\n---\n\n## One?\n\n1\n\n### Details\n\n**!\\[x\\](gone.png)** more\n'
    )


def test_a_large_deck_takes_several_files_that_sort_as_its_notes_come(
    ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptcards.importing.write.MOST_NOTES", 2)
    decks = ["X", "X", "X::a", "X", "X::a 1", "X", "X::a", "X::a", "X"]
    rows = "".join(f"{number}?,yes,{deck}\n" for number, deck in enumerate(decks))
    (tmp_path / "x.csv").write_text(f"question,answer,deck\n{rows}")
    assert ptcards("import", tmp_path / "x.csv", tmp_path / "out").status == 0
    (contents,) = Workspace.read([tmp_path / "out"]).contents
    assert contents.diagnostics == []
    assert [(Path(note.location.path).name, note.deck, note.heading.markdown) for note in contents.notes] == [
        ("a-1-2.md", "X::a 1", "4?"),
        ("a-1.md", "X::a", "2?"),
        ("a-1.md", "X::a", "6?"),
        ("a-2.md", "X::a", "7?"),
        ("x-1.md", "X", "0?"),
        ("x-1.md", "X", "1?"),
        ("x-2.md", "X", "3?"),
        ("x-2.md", "X", "5?"),
        ("x-3.md", "X", "8?"),
    ]


def test_a_table_or_package_with_any_ending_is_read_if_it_is_named(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "geo.dat").write_text("#separator:comma\nquestion,answer,deck\nOne?,1,Geo::A\nTwo?,2,Geo\n")
    assert ptcards("import", tmp_path / "geo.dat", tmp_path / "out", "--from", "table").status == 0
    assert (tmp_path / "out" / "a.md").read_text() == '---\ndeck: "A"\n---\n\n## One?\n\n1\n'
    ran = ptcards("import", tmp_path / "geo.dat", tmp_path / "other", "--from", "package")
    assert (ran.status, ran.err.partition("\n")[0]) == (
        2,
        "geo.dat:1: error[no-package] this is text, not an Anki package",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "no columns `question` and `answer`: there are `a`, `b`"),
        ("", "no columns `question` and `answer`: there are nothing"),
        ("question,answer\n", "no columns `question` and `answer`: there are `question`, `answer`"),
        ('question,answer\na,"' + "b" * (1 << 21), "line 2: field larger than field limit (1048576)"),
    ],
)
def test_a_table_without_names_is_refused(ptcards: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    ran = ptcards("import", tmp_path / "a.csv", tmp_path / "out")
    assert (ran.status, ran.err.partition("\n")[0]) == (2, f"a.csv:1: error[no-columns] {said}")
    assert not (tmp_path / "out").exists()


def test_a_link_beside_a_table_is_not_followed(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("private")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pic.png").symlink_to(tmp_path / "secret")
    (tmp_path / "in" / "geo.csv").write_text("Front,Back\nOne?,[sound:pic.png]\n")
    ran = ptcards("import", tmp_path / "in" / "geo.csv", tmp_path / "out")
    assert (ran.status, (tmp_path / "out").exists()) == (1, False)


@pytest.mark.parametrize(
    "header", ["#columns:a\rb", f"#columns:{'a' * 140_000}", f"#tags column:{'9' * 5000}"]
)
def test_headers_of_any_length_are_no_surprise(ptcards: Run, tmp_path: Path, header: str) -> None:
    (tmp_path / "geo.txt").write_text(f"{header}\nFront\tBack\nOne?\tTwo.\n", newline="")
    assert "Traceback" not in ptcards("import", tmp_path / "geo.txt", tmp_path / "out").err
