"""Formulas that learners' Anki draws with LaTeX survive an import and a build."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from anki.collection import Collection

from anki_backend import import_package, learner, notes_by_guid
from conftest import Ran
from packages import FORMATS, PICTURE, Exported, add, export
from ptcards.notes.notetypes import LATEX_FOOTER, LATEX_HEADER

Run = Callable[..., Ran]

OWN_HEADER = LATEX_HEADER.replace(
    "\\pagestyle", "\\usepackage{tikz}\n\\newcommand{\\R}{\\mathbb{R}}\n\\pagestyle"
)
OLD_HEADER = LATEX_HEADER.replace("[utf8]", "[utf8x]").replace(
    "\\setlength", "\\usepackage{ucs}\n\\setlength"
)


class Field(NamedTuple):
    """A field of a package, and how an import writes it: as Markdown, or unchanged if that is empty."""

    html: str
    markdown: str = ""


USUAL = (
    Field("[latex]a[/latex]"),
    Field("x [LaTeX]\\begin{tabular}{c} a &amp; b \\end{tabular}[/LaTeX]<br>y"),
    Field("the code <code>[latex]a[/latex]</code>"),
    Field("[latex]no end", "[latex]no end"),
    Field("[$]\\frac{1}{2} &lt; x[/$]", "$\\frac{1}{2} < x$"),
    Field("so [$$]\\sum_i<br>x_i[/$$]", "so $$\\sum_i\nx_i$$"),
    Field("[$]\\begin{xy} a \\end{xy}[/$]"),
    Field("[$]\\R^n[/$]"),
    Field("[$]x<b>y</b>[/$]"),
    Field("[$]\\frac{1}[/$]"),
    Field("[$]x^2[/$] and [$]\\R[/$]"),
    Field("<code>[$]x[/$]</code>"),
    Field("\\(x^2\\)", "$x^2$"),
    Field("&#91;latex]a[/latex]", "[latex]a[/latex]"),
)
OWN = (Field("[$]x^2[/$]"), Field("[$$]\\R^n[/$$]"), Field("\\(x^2\\)", "$x^2$"), Field("plain", "plain"))
CLOZES = (
    Field("{{c1::[$]x^2[/$]}} and {{c2::y}}", "{{c1::$x^2$}} and {{c2::y}}"),
    Field("[latex]{{c1::x}}[/latex]"),
    Field("[$]\\R {{c1::x}}[/$]"),
)


def _fill(collection: Collection) -> None:
    models = collection.models
    for name, of, header in (("Own", "Basic", OWN_HEADER), ("Old", "Basic", OLD_HEADER)):
        made = models.by_name(of)
        assert made is not None
        made |= {"id": 0, "name": name, "latexPre": header, "latexsvg": name == "Own"}
        models.add(made)
    for name, fields in (("Basic", USUAL), ("Own", OWN), ("Old", USUAL[:6]), ("Cloze", CLOZES)):
        for number, field in enumerate(fields):
            if name == "Cloze":
                add(collection, name, "Maths", field.html)
            else:
                add(collection, name, "Maths", f"{name} {number}", field.html)
            for name_of_picture in _pictures(collection, field.html):
                collection.media.write_data(name_of_picture, PICTURE)
    collection.media.write_data(f"latex-{'0' * 40}.png", PICTURE)


def _pictures(collection: Collection, html: str) -> set[str]:
    """Return the names of the pictures that Anki draws for a field."""
    found = collection._backend.extract_latex(text=html, svg=False, expand_clozes=True)
    return {each.filename for each in found.latex}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("latex"), _fill)


@pytest.mark.parametrize("form", FORMATS)
def test_formulas_reach_a_new_learner_byte_for_byte_or_as_mathjax_that_anki_draws(
    ptcards: Run, tmp_path: Path, exported: Exported, form: str
) -> None:
    deck = tmp_path / "deck"
    assert ptcards("import", exported.packages[form], deck).status == 0
    assert ptcards("build", deck, "-o", tmp_path, "--refresh").status == 0
    with learner(exported.profile) as collection:
        theirs = {guid: note.fields for guid, note in notes_by_guid(collection).items()}
    with learner(tmp_path / "new") as collection:
        import_package(collection, tmp_path / "maths.apkg")
        ours = {guid: note.fields for guid, note in notes_by_guid(collection).items()}
        types = {each["name"]: each for each in collection.models.all()}
    shown = {
        theirs[guid][number]: field
        for guid, fields in ours.items()
        for number, field in enumerate(fields)
        if "Maths" not in field
    }
    expected = {field.html for field in (*USUAL, *OWN, *CLOZES) if not field.markdown}
    assert {html: shown[html] for html in expected} == {html: html for html in expected}
    assert {each: types[each]["latexPre"] for each in ("Own", "Old", "Basic")} == {
        "Own": OWN_HEADER,
        "Old": OLD_HEADER,
        "Basic": LATEX_HEADER,
    }
    assert [(types[each]["latexPost"], types[each]["latexsvg"]) for each in ("Own", "Basic")] == [
        (LATEX_FOOTER, True),
        (LATEX_FOOTER, False),
    ]
    assert (shown["[$]\\frac{1}{2} &lt; x[/$]"], shown["&#91;latex]a[/latex]"]) == (
        "\\(\\frac{1}{2} &lt; x\\)",
        "&#91;latex]a&#91;/latex]",
    )


@pytest.mark.parametrize("form", ["anki21b", "colpkg"])
def test_the_pictures_of_latex_reach_learners_who_cannot_draw_them(
    ptcards: Run, tmp_path: Path, exported: Exported, form: str
) -> None:
    assert ptcards("import", exported.packages[form], tmp_path / "deck").status == 0
    assert ptcards("build", tmp_path / "deck", "-o", tmp_path).status == 0
    found = []
    for name, package in (("theirs", exported.packages["anki21b"]), ("ours", tmp_path / "maths.apkg")):
        with learner(tmp_path / name) as collection:
            import_package(collection, package)
            found.append({file.name for file in Path(collection.media.dir()).glob("latex-*")})
    # Anki exports the pictures of its own format only.
    assert (found[1] - found[0] if form == "anki21b" else set(), found[0] - found[1]) == (set(), set())
    assert (len(found[0]) > 8, f"latex-{'0' * 40}.png" in found[1]) == (True, False)


def test_fields_are_written_as_markdown_only_if_mathjax_draws_their_formulas(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    ran = ptcards("import", exported.packages["anki21b"], tmp_path / "deck", "-v")
    written = (tmp_path / "deck" / "maths.md").read_text("utf-8")
    for field in (*USUAL, *OWN, *CLOZES):
        fence = f"```{{=html}}\n{field.html}\n```\n"
        assert (fence in written, field.markdown in written) == (not field.markdown, True), field
    kept = sum(not field.markdown for field in (*USUAL, *USUAL[:6], *OWN, *CLOZES))
    assert f"{kept} as HTML" in ran.out


def test_an_untouched_import_changes_nothing_for_learners(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    package = exported.packages["anki21b"]
    assert ptcards("import", package, tmp_path / "deck").status == 0
    assert ptcards("build", tmp_path / "deck", "-o", tmp_path).status == 0
    with learner(tmp_path / "profile") as collection:
        count = import_package(collection, package)["new"]
        assert import_package(collection, tmp_path / "maths.apkg") == {"duplicate": count}


def test_a_new_deck_counts_latex_as_lost_formatting(ptcards: Run, tmp_path: Path, exported: Exported) -> None:
    ran = ptcards("import", exported.packages["anki21b"], tmp_path / "deck", "--fresh", "--dry-run")
    assert "without formatting" in ran.out


def test_check_warns_about_latex_that_an_older_import_wrote_as_text(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    deck = tmp_path / "deck"
    assert ptcards("import", exported.packages["anki21b"], deck).status == 0
    source = deck / "maths.md"
    written = source.read_text("utf-8").replace("\n[latex]a[/latex]\n\n", "\na\n\n")
    written = written.replace("```{=html}\n[latex]a[/latex]\n```", "[latex]a[/latex]", 1)
    source.write_text(written, "utf-8")
    line = written[: written.index("\n[latex]a")].count("\n") + 2
    ran = ptcards("check", deck, "--format", "concise")
    assert [each.removeprefix("deck/") for each in ran.out.splitlines() if "[anki-markup]" in each] == [
        f"maths.md:{line}:1: warning[anki-markup] `[latex]` is shown literally"
    ]
