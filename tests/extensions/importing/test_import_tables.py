"""Tables (any CSV with a header row, and Anki's own text export) become collections."""

import json
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anki_backend import learner
from conftest import Ran
from packages import PICTURE, add
from ptcards.workspace import Workspace

Run = Callable[..., Ran]

BENCH = Path(__file__).parents[3] / "bench"

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
    warned = f"{name}: warning[no-identity] these notes have no GUIDs: learners cannot keep their reviews"
    assert (warned in ran.err) == (text == EXPORT)  # nobody has learned from another table


HTML = "question,answer\nWhat is x?,An <b>x</b>.\nWhat is y?,A y<br>\n"


def test_a_table_whose_fields_look_like_html_is_reported_unless_a_line_says_what_they_are(
    ptcards: Run, tmp_path: Path
) -> None:
    def answer(text: str) -> tuple[str, bool]:
        (tmp_path / "t.csv").write_text(text, "utf-8")
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        ran = ptcards("import", tmp_path / "t.csv", tmp_path / "out")
        assert ran.status == 0
        notes = (tmp_path / "out" / "t.md").read_text("utf-8")
        return ran.err.partition("Next:")[0], "An **x**." in notes

    warned = (
        "t.csv:2: warning[html-as-text] `<b>` is shown as text: no line says that the fields are HTML\n"
        "  = help: if they are, add the line `#html:true` at the top, and import again\n"
        "\n"
        "1 warning\n"
    )
    assert answer(HTML) == (warned, False)
    assert answer(f"#html:true\n{HTML}") == ("", True)
    assert answer(f"#html:false\n{HTML}") == ("", False)
    assert answer("question,answer\nIs a < b and c > d?,A List<b> is\n") == ("", False)


def test_ankis_own_export_says_what_its_columns_are(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "export.txt").write_text(
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:6\n"
        "a>b\tBasic\tGeo::Europe\tWhat is <b>this</b>?\tThat\tx y\n"
        "cd\tCloze\tGeo\t{{c1::Paris}} is a city\tIn France\t\n"
        "ef\tBasic\tGeo\tno answer\t\t\n"
    )
    ran = ptcards("import", tmp_path / "export.txt", tmp_path / "out", "--name", "Geo")
    assert ran.out == (
        "Read export.txt: 3 notes (table)\n"
        "columns  by position: 4 is the question, 5 is the answer; line 7 is the first note: `What is <b>this</b>?`\n"
        "decks    Geo (1 note), Geo::Europe (1)\n"
        "Wrote out/: 2 notes in 2 files\n"
        "\n"
        "read     3  notes of the deck that you import\n"
        "written  2  notes as Markdown\n"
        "left out 1  without a question or an answer\n"
        "            export.txt:9  no answer\n"
    )
    assert "a table does not name note types, so its GUIDs cannot keep reviews" in ran.err
    assert (tmp_path / "out" / "europe.md").read_text() == (
        '---\ndeck: "Europe"\n---\n\n## What is **this**?\n<!-- card: tags=x,y -->\n\nThat\n'
    )
    assert (tmp_path / "out" / "geo.md").read_text() == (
        '---\ndeck: ""\n---\n\n## {{c1::Paris}} is a city\n<!-- card: kind=cloze -->\n\n'
        "### Details\n\nIn France\n"
    )


def test_a_row_without_an_answer_is_answered_by_its_other_columns(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "bali.png").write_bytes(b"png")
    (tmp_path / "geo.csv").write_text(
        '#html:true\nquestion,answer,Info,Map\nBali,,An island.,"<img src=""bali.png"">"\nnothing,,,\n'
    )
    ran = ptcards("import", tmp_path / "geo.csv", tmp_path / "out")
    assert ran.out.partition("\n\n")[2] == (
        "read     2  notes of the deck that you import\nwritten  1  notes as Markdown\n"
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
    monkeypatch.setattr("ptcards.extensions.importing.write.MOST_NOTES", 2)
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
        "geo.dat: error[no-package] this is not an Anki package",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,c\n1,2,3\n", "no columns `question` and `answer`: there are `a`, `b`, `c`, separated by comma"),
        ("a,b\n1,2,3\n", "no columns `question` and `answer`: there are `a`, `b`, separated by comma"),
        ("", "no columns `question` and `answer`: there is nothing"),
        (
            "question,answer\n",
            "no columns `question` and `answer`: there are `question`, `answer`, separated by comma",
        ),
        ('question,answer\na,"' + "b" * (1 << 21), "line 2: field larger than field limit (1048576)"),
    ],
)
def test_a_table_without_names_is_refused(ptcards: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    ran = ptcards("import", tmp_path / "a.csv", tmp_path / "out")
    assert (ran.status, ran.err.partition("\n")[0]) == (2, f"a.csv: error[no-columns] {said}")
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


ROWS = (
    ("dog", "Hund", "", "reversed"),
    ("cat", "Katze", "y", "optional"),
    ("cow", "Kuh", "", "optional"),
    ("sun", "Sonne", "", "typed"),
    ("{{c2::ice}} is cold", "", "", "cloze"),
    ("{{c1::image-occlusion:rect:left=.1}}<br>", '<img src="map.png">', "Europe", "occlusion"),
    ("tree", "Baum", "a <b>plant</b>", "basic"),
)
"""Fields of notes, and the kinds of their note types."""
READ = (
    '---\ndeck: ""\n---\n'
    "\n## dog\n<!-- card: kind=reversed -->\n\nHund\n"
    "\n## cat\n<!-- card: kind=reversed -->\n\nKatze\n"
    "\n## cow\n\nKuh\n"
    "\n## sun\n<!-- card: kind=typed -->\n\nSonne\n"
    "\n## {{c2::ice}} is cold\n<!-- card: kind=cloze -->\n"
    "\n## tree\n\nBaum\n\n### Details\n\n**LABEL** a **plant**\n"
)
LANGUAGES = {
    "en": (
        "Basic (and reversed card)",
        "Basic (optional reversed card)",
        "Basic (type in the answer)",
        "Cloze",
    ),
    "de": (
        "Einfach (und die umgekehrte Richtung)",
        "Einfach (und wahlweise die umgekehrte Richtung)",
        "Einfach (Antwort eintippen)",
        "Lückentext",
    ),
    "fr": (
        "Généralités (deux sens)",
        "Basique (carte inversée optionnelle)",
        "Basique (saisissez la réponse)",
        "Texte à trous",
    ),
    "ja": (
        "基本 (表面と裏面を反転したカードも作成)",
        "基本 (任意で反転カードを作成)",
        "基本 (解答を入力)",
        "穴埋め問題",
    ),
}


@pytest.mark.parametrize("has_header", [False, True], ids=["rows", "header"])
@pytest.mark.parametrize("which", ["all", "notetype"])
def test_the_text_that_anki_exports_gives_every_kind(
    ptcards: Run, tmp_path: Path, which: str, *, has_header: bool
) -> None:
    with learner(tmp_path / "author") as collection:
        collection._backend.add_image_occlusion_notetype()
        collection.models._clear_cache()
        collection.media.write_data("map.png", PICTURE)
        names = dict(zip(("reversed", "optional", "typed", "cloze"), LANGUAGES["en"], strict=True))
        names |= {"basic": "Own", "occlusion": "Image Occlusion"}
        basic = collection.models.by_name("Basic")
        assert basic is not None
        own = basic | {"id": 0, "name": "Own"}
        collection.models.add_field(own, collection.models.new_field("More"))
        collection.models.add(own)
        for *fields, kind in ROWS:
            size = len(collection.new_note(collection.models.by_name(names[kind])).fields)
            add(collection, names[kind], "Words", *fields[:size])
        file = tmp_path / "words.txt"
        all_too = which == "all"
        collection.export_note_csv(
            out_path=str(file),
            limit=None,
            with_html=True,
            with_tags=all_too,
            with_deck=all_too,
            with_notetype=True,
            with_guid=all_too,
        )
    text = file.read_text("utf-8")
    columns = 3 if all_too else 1
    if has_header:
        head, _, rows = text.partition(f"#{'tags' if all_too else 'notetype'} column:")
        number, _, rows = rows.partition("\n")
        header = "\t".join([*["x"] * columns, "Front", "Back", "More", "a", "b", "tags"])
        text = f"{head}#{'tags' if all_too else 'notetype'} column:{number}\n{header}\n{rows}"
        file.write_text(text, "utf-8")
    ran = ptcards("import", file, tmp_path / "out", "--name", "Words")
    label = "More" if has_header else f"Field {columns + 3}"
    assert (tmp_path / "out" / "words.md").read_text("utf-8") == READ.replace("LABEL", label)
    assert ran.out.partition("left out")[2].split("\n", 1)[0] == (
        " 1  that hide parts of a picture: only a package keeps them"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_stock_note_types_are_known_in_ankis_languages(ptcards: Run, tmp_path: Path, language: str) -> None:
    names = dict(zip(("reversed", "optional", "typed", "cloze"), LANGUAGES[language], strict=True))
    rows = [[names.get(kind, "Mine"), *fields] for *fields, kind in ROWS if kind != "occlusion"]
    # Anki adds something to the name of a second note type.
    rows[0][0] += "-1a2b3"
    rows[1][0] += "++"
    head = "#separator:tab\n#html:true\n#notetype column:1\n"
    (tmp_path / "words.txt").write_text(head + "".join("\t".join(row) + "\n" for row in rows), "utf-8")
    assert ptcards("import", tmp_path / "words.txt", tmp_path / "out").status == 0
    assert (tmp_path / "out" / "words.md").read_text("utf-8") == READ.replace("LABEL", "Field 4")


def test_a_note_type_for_all_rows_is_read(ptcards: Run, tmp_path: Path) -> None:
    head = "#separator:tab\n#notetype:Basic (and reversed card)\n"
    (tmp_path / "words.txt").write_text(f"{head}dog\tHund\n", "utf-8")
    assert ptcards("import", tmp_path / "words.txt", tmp_path / "out").status == 0
    written = '---\ndeck: ""\n---\n\n## dog\n<!-- card: kind=reversed -->\n\nHund\n'
    assert (tmp_path / "out" / "words.md").read_text("utf-8") == written


@pytest.mark.slow
def test_the_names_of_stock_note_types_are_those_of_anki() -> None:
    written = runpy.run_path(str(BENCH / "stock_names.py"))
    names = json.loads(written["TARGET"].read_text("utf-8"))
    # Those of older versions stay.
    assert {kind: {*each} - {*names[kind]} for kind, each in written["stock_names"]().items()} == {
        kind: set() for kind in names
    }


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("quizlet.txt", "dog\tHund\ncat\tKatze\n", ()),
        ("quizlet.txt", 'dog\tHund\n"the cat\tKatze\n', ()),
        ("a.csv", "dog,Hund\ncat,Katze\n", ()),
        ("a.csv", "dog;Hund\ncat;Katze\n", ()),
        ("a.csv", "Vorderseite;Rückseite\ndog;Hund\ncat;Katze\n", ()),
        ("a.csv", "Term,Definition\ndog,Hund\ncat,Katze\n", ()),
        ("a.csv", "Frage;Antwort\ndog;Hund\ncat;Katze\n", ()),
        ("a.csv", "表面,裏面\ndog,Hund\ncat,Katze\n", ()),
        ("a.txt", "#separator:Semicolon\n#html:false\ndog;Hund\ncat;Katze\n", ()),
        ("a.csv", "1,dog,Hund\n2,cat,Katze\n", ("--columns", "-, question, answer")),
        ("a.csv", "Hund,x,dog\nKatze,x,cat\n", ("--columns", "answer,-,question")),
        ("a.csv", "de,no,en\nHund,x,dog\nKatze,x,cat\n", ("--columns", "en=question,de=answer,no=-")),
    ],
)
def test_two_columns_are_enough(
    ptcards: Run, tmp_path: Path, name: str, text: str, options: tuple[str, ...]
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    ran = ptcards("import", tmp_path / name, tmp_path / "out", "--name", "a", *options)
    first = '"the cat' if '"' in text else "cat"
    written = f'---\ndeck: ""\n---\n\n## dog\n\nHund\n\n## {first}\n\nKatze\n'
    assert (ran.status, (tmp_path / "out" / "a.md").read_text("utf-8")) == (0, written)


def test_the_columns_of_a_table_are_named_on_the_command_line(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("One?,1,x y,A,more\n")
    columns = ("--columns", "question,answer,tags,deck,Hint")
    assert ptcards("import", tmp_path / "a.csv", tmp_path / "out", *columns).status == 0
    assert (tmp_path / "out" / "a.md").read_text() == (
        '---\ndeck: ""\n---\n\n## One?\n<!-- card: tags=x,y -->\n\n1\n\n### Details\n\n**Hint** more\n'
    )
    ran = ptcards("import", tmp_path, tmp_path / "other", *columns)
    assert (ran.status, "invalid value for '--columns': it only works for tables" in ran.err) == (2, True)


def test_files_that_rows_show_are_copied_and_missing_ones_counted(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "collection.media").mkdir()
    for name in ("moa.jpg", "a b.mp3"):
        (tmp_path / "collection.media" / name).write_bytes(b"x")
    rows = (
        'moa\t<img src="moa.jpg">',
        "song\tso [sound:a b.mp3]",
        'kea\t<img src="kea.jpg"> and <img src="images/kiwi.jpg">',
    )
    (tmp_path / "birds.txt").write_text("#separator:tab\n#html:true\n" + "\n".join(rows) + "\n")
    ran = ptcards("import", tmp_path / "birds.txt", tmp_path / "out")
    assert (tmp_path / "out" / "birds.md").read_text() == (
        '---\ndeck: ""\n---\n\n## moa\n\n![](media/moa.jpg)\n\n## song\n\nso ![](media/a%20b.mp3)\n'
        "\n## kea\n\n`kea.jpg` and `kiwi.jpg`\n"
    )
    assert "birds.txt: warning[missing-media] 2 files not found, the first `kea.jpg` in line 5\n" in ran.err
    assert ptcards("build", tmp_path / "out").status == 0


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ('question,answer\n"x","1\n2,3"\n', [("x", "", "1\\\n2,3")]),
        ('front,back\n"x, 1\ny",2\n', [("x, 1", "x, 1\\\ny", "2")]),
    ],
)
def test_a_line_break_in_a_quoted_cell_ends_no_row(
    ptcards: Run, tmp_path: Path, text: str, notes: list[tuple[str, str, str]]
) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert ptcards("import", tmp_path / "t.csv", tmp_path / "deck").status == 0
    (contents,) = Workspace.read([tmp_path / "deck"]).contents
    assert [
        (note.heading.markdown, note.question.markdown, note.answer.markdown) for note in contents.notes
    ] == notes


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "hund\tdog, or hound\nkatze\tcat\n"),
        ("a.csv", "Frage;Antwort\nhund;dog, or hound\nkatze;cat\n"),
        ("a.txt", "hund|dog, or hound\nkatze|cat\n"),
        ("a.csv", '#separator:Comma,,\n#html:false,,\nhund,"dog, or hound"\nkatze,cat\n'),
    ],
)
def test_the_separator_is_found_as_anki_finds_it(ptcards: Run, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert ptcards("import", tmp_path / name, tmp_path / "out").status == 0
    written = "".join(file.read_text("utf-8") for file in (tmp_path / "out").rglob("*.md"))
    assert ("## hund\n\ndog, or hound\n" in written, "## katze\n\ncat\n" in written) == (True, True), written


def test_the_separator_is_named_if_columns_are_unclear(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("one\ttwo\tthree\n1\t2\t3\n", "utf-8")
    ran = ptcards("import", tmp_path / "a.csv", tmp_path / "out")
    assert "there are `one`, `two`, `three`, separated by tab" in ran.err


def test_a_column_of_sounds_is_played(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "audio").mkdir()
    (tmp_path / "audio" / "w0.mp3").write_bytes(b"ID3 sound")
    (tmp_path / "v.csv").write_text("word,meaning,audio\nw0,m0,w0.mp3\nw1,m1,w1.mp3\n", "utf-8")
    ran = ptcards("import", tmp_path / "v.csv", tmp_path / "out", "--columns", "word=question,meaning=answer")
    written = "".join(file.read_text("utf-8") for file in (tmp_path / "out").rglob("*.md"))
    assert "![](media/w0.mp3)" in written
    assert "1 file not found, the first `w1.mp3` in line 3" in ran.err
    built = ptcards("build", tmp_path / "out", "--format", "csv", "-o", tmp_path / "csv")
    assert (built.status, "2 notes" in built.err) == (0, True)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ('"Deep Learning Made Easy, 8th Edition"', "`Deep Learning Made Easy, 8th Edition` becomes 6 tags"),
        ("one two three four five six", "`one two three four five six` becomes 6 tags"),
        ('"physics, waves"', ""),
        ("physics waves light", ""),
    ],
)
def test_words_that_do_not_look_like_tags_are_named(
    ptcards: Run, tmp_path: Path, cell: str, said: str
) -> None:
    (tmp_path / "a.csv").write_text(f"question,answer,tags\nWhat is it?,It is a.,{cell}\n", "utf-8")
    err = ptcards("import", tmp_path / "a.csv", tmp_path / "out").err
    assert (f"a.csv:2: warning[words-as-tags] {said}, one" in err, "words-as-tags" in err) == (
        said != "",
        said != "",
    )
