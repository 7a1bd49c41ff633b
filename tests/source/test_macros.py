"""Macros for formulas: their definitions, what they expand to, and what cannot be expanded."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anki_backend import import_package, learner
from conftest import Ran
from ptcards.anki.fields import render
from ptcards.anki.tex import unknown_names_in
from ptcards.diagnostics import Location
from ptcards.markdown.macros import MAX_EXPANSION, expand
from ptcards.notes import Macro
from ptcards.source.macro_definitions import read_macros
from ptcards.workspace import Workspace

Write = Callable[[dict[str, str | bytes]], Path]
Ptcards = Callable[..., Ran]

TOML = 'name = "M"\nid = "mmmmmmmm"\n\n[math]\nmacros = "macros.tex"\n'
MACROS = r"""% The macros of this deck.
\newcommand{\RR}{\mathbb{R}}
\providecommand\T{^\top}
\norm = \left\| #1 \right\|  % one line
\def\inner#1#2{\langle #1, % the first
    #2 \rangle}
\DeclareMathOperator*{\argmax}{arg\,max}
\renewcommand*{\root}[2][2]{\sqrt[#1]{#2}}
\la = \lambda
\half = \frac12
\dup = #1#1
\drop = {}
\bars = |#1|
"""
GIVEN = {macro.name: macro for macro in read_macros(MACROS, "macros.tex")[0]}


def _expanded(tex: str, *, deletions: bool = False) -> str:
    expansion = expand(tex, GIVEN, deletions=deletions)
    assert expansion.mistake is None, expansion.mistake
    return expansion.tex


def _mistake(tex: str, *, deletions: bool = False) -> tuple[str, str]:
    mistake = expand(tex, GIVEN, deletions=deletions).mistake
    assert mistake
    return tex[mistake.start : mistake.end], mistake.message


def _problems(text: str) -> list[str]:
    return [f"{each.location} {each.severity}: {each.message}" for each in read_macros(text, "m.tex")[1]]


def test_every_kind_of_definition_is_read() -> None:
    macros, diagnostics = read_macros(MACROS, "macros.tex")
    assert diagnostics == []
    assert [macro._replace(place=Location("", macro.place.line)) for macro in macros if macro.name < "d"] == [
        Macro("RR", 0, None, r"\mathbb{R}", Location("", 2)),
        Macro("T", 0, None, r"^\top", Location("", 3)),
        Macro("argmax", 0, None, r"\operatorname*{arg\,max}", Location("", 7)),
        Macro("bars", 1, None, "|#1|", Location("", 13)),
    ]
    assert [GIVEN["inner"][1:4], GIVEN["root"][1:4]] == [
        (2, None, r"\langle #1, #2 \rangle"),
        (2, "2", r"\sqrt[#1]{#2}"),
    ]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\RR^n", r"\mathbb{R}^n"),
        (r"\RRR \R", r"\RRR \R"),
        # An argument or a script is put in braces, but nothing else.
        (r"\frac\RR2 + \frac1\RR", r"\frac{\mathbb{R}}2 + \frac1{\mathbb{R}}"),
        (r"x^\half_\la", r"x^{\frac12}_\lambda"),
        (r"\sqrt[\la]\half", r"\sqrt[\lambda]{\frac12}"),
        (r"\max_x \argmax_x \alpha\RR", r"\max_x \operatorname*{arg\,max}_x \alpha\mathbb{R}"),
        (r"\left\norm x", r"\left\left\| x \right\|"),
        # A command and a letter after it stay apart.
        (r"\norm\la x\la{}y", r"\left\| \lambda \right\| x\lambda{}y"),
        (r"\dup{\la}x \dup ab", r"\lambda\lambda x aab"),
        (r"A\T x", r"A^\top x"),
        (r"\inner{\norm{a}}b", r"\langle \left\| a \right\|, b \rangle"),
        (r"\root{x} \root[3]{x}", r"\sqrt[2]{x} \sqrt[3]{x}"),
        (r"\norm % \RR" + "\n x", r"\left\| x \right\|"),
        (r"\verb|\RR| \\RR \text{in \RR}", r"\verb|\RR| \\RR \text{in \mathbb{R}}"),
        (r"\la \drop", r"\lambda {}"),
    ],
)
def test_a_macro_is_expanded_as_tex_does(tex: str, plain: str) -> None:
    assert _expanded(tex) == plain


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\norm{{{c1::\RR}}}", r"\left\| {{c1::\mathbb{R}}} \right\|"),
        (r"\norm{{c1::x::a \la}} y", r"\left\| {{c1::x::a \lambda}} \right\| y"),
        (r"{{c1::\norm{x}}} + {{c2::\la}}y", r"{{c1::\left\| x \right\|}} + {{c2::\lambda}} y"),
        (r"\dup{{{c1::x}}}", r"{{c1::x}}{{c1::x}}"),
    ],
)
def test_a_deletion_stays_a_deletion(tex: str, plain: str) -> None:
    assert _expanded(tex, deletions=True) == plain


def test_what_cannot_be_expanded_is_named_with_its_use() -> None:
    assert [
        _mistake(r"a + \norm"),
        _mistake(r"\inner{a} & b"),
        _mistake(r"\norm{a"),
        _mistake(r"{{c1::\inner}}{a}{b}", deletions=True),
        _mistake(r"\dup{{{c1::a} b}} c}", deletions=True),
        _mistake(r"\dup\dup"),
    ] == [
        (r"\norm", r"`\norm` needs 1 argument, but has 0"),
        (r"\inner", r"`\inner` needs 2 arguments, but has 1"),
        (r"\norm", r"an argument of `\norm` has no end"),
        (r"\inner", r"`\inner` needs 2 arguments, but has 0"),
        (r"\dup", r"a deletion crosses the edge of an argument of `\dup`"),
        (r"\dup", r"`\dup` expands to more than 10 kB"),
    ]


def test_what_is_wrong_in_the_file_is_named_at_its_line() -> None:
    assert _problems(
        "\\newcommand{\\a}{\\b}\n\\b = \\a\n\\c = \\c\n\\newcommand{\\d}{\\require{physics}}\n"
        "\\e = \\href{javascript:alert(1)}{x}\n\\newcommand{\\f}[1]{#2}\n\\g = {x\n\\def\\h#1.#2{x}\n"
        "\\usepackage{x}\nhello\n\\newcommand{\\i}{x\n\n\\j = y\n\\j = z\n"
    ) == [
        "m.tex:4:1 error: `\\d` cannot be used: it contains `\\require`",
        "m.tex:5:1 error: `\\e` cannot be used: it links to `javascript:`",
        "m.tex:6:1 error: `\\f` cannot be used: its arguments are wrong",
        "m.tex:7:1 error: `\\g` cannot be used: its braces are not balanced",
        "m.tex:8:1 error: `\\def` with text between its arguments is not supported",
        "m.tex:9:1 error: `\\usepackage` does not begin the definition of a macro",
        "m.tex:10:1 error: `hello` does not begin the definition of a macro",
        "m.tex:11:1 error: the definition of `\\i` has no text, or no end",
        "m.tex:14:1 warning: `\\j` is already defined on line 13",
        "m.tex:1:1 error: `\\a` uses `\\b`, which uses `\\a` again",
        "m.tex:3:1 error: `\\c` uses itself",
    ]


def test_a_use_of_a_broken_macro_is_an_error_that_names_both_places(write: Write) -> None:
    macros = "\\newcommand{\\a}{\\a}\n\\link = \\href{#1}{x}\n\\big = " + "x" * 6000 + "\n"
    note = "## What is $\\a$?\n\n> $$\n> 1 +\n> \\link{javascript:x}\n> $$\n\n$\\big\\big$ `\\a`\n"
    root = write({"deck.toml": TOML, "macros.tex": macros, "a.md": note})
    place = f"{root}/macros.tex"
    workspace = Workspace.read([root])
    assert [
        (str(each.location).rpartition("/")[2], each.rule, each.message, each.help)
        for each in workspace.diagnostics
    ] == [
        ("macros.tex:1:1", "broken-macro", "`\\a` uses itself", "define it without itself"),
        (
            "a.md:1:13",
            "broken-macro",
            "`\\a` cannot be used: it uses itself",
            f"change the formula, or the macro at {place}:1:1",
        ),
        (
            "a.md:5:3",
            "broken-macro",
            "`\\link` makes a link to `javascript:`",
            f"change the formula, or the macro at {place}:2:1",
        ),
        (
            "a.md:8:6",
            "broken-macro",
            "`\\big` expands to more than 10 kB",
            f"change the formula, or the macro at {place}:3:1",
        ),
    ]


NOTES = r"""## What is $\RR^n$?

$\frac\RR2$ in `$\RR$`, and

| a | b |
|---|---|
| $\bars{x}$ | ![$\RR$](none) |

> ```math
> \norm{x} &
> ```

## Which?

- [x] $\RR$
    - because $\la x$
- [ ] $x$

## A {{c1::gap}}: $\norm{{{c2::\RR^{n}::of \RR}}} \colons$

"""


def test_fields_are_plain_tex_and_identity_rests_on_the_text_as_written(write: Write) -> None:
    root = write({"deck.toml": TOML, "macros.tex": MACROS + "\\colons = {{{c3::x}}}\n", "a.md": NOTES})
    (contents,) = Workspace.read([root]).contents
    first, choice, cloze = contents.notes
    (question, answer, *_), _ = render(first)
    assert question == '<p class="heading">What is \\(\\mathbb{R}^n\\)?</p>'
    assert answer.replace("\n", "") == (
        r"<p>\(\frac{\mathbb{R}}2\) in <code>$\RR$</code>, and</p>"
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr>"
        r"<td>\(|x|\)</td><td>\(\RR\)</td></tr></tbody></table>"
        r"<blockquote><p>\[\left\| x \right\| &amp;\]</p></blockquote>"
    )
    assert [macro.name for macro in first.macros] == ["RR", "bars", "norm"]
    assert first.title == r"What is $\RR^n$?"
    assert r"\(\mathbb{R}\)" in render(choice)[0][1]
    assert r"\(\lambda x\)" in render(choice)[0][1]
    # Braces and colons of an expansion cannot end a deletion.
    assert render(cloze)[0][1] == (
        r"<p>A {{c1::gap}}: \(\left\| {{c2::\mathbb{R}^{n}::of \mathbb{R&#125;}} \right\| "
        r"{{&#123;c3::x}}}\)</p>"
    )
    bare = write({"b/deck.toml": TOML, "b/macros.tex": "", "b/a.md": NOTES})
    (others,) = Workspace.read([bare / "b"]).contents
    for one, other in zip(contents.summaries, others.summaries, strict=True):
        assert one.fingerprint.content != other.fingerprint.content
        assert one.fingerprint._replace(content="") == other.fingerprint._replace(content="")
        assert (one.question, one.asked, one.slug) == (other.question, other.asked, other.slug)


def test_a_formula_may_define_a_name_of_its_own(write: Write) -> None:
    note = "## One?\n\n$\\newcommand{\\RR}{X}$ and $\\RR \\la$\n"
    root = write({"deck.toml": TOML, "macros.tex": MACROS, "a.md": note})
    (contents,) = Workspace.read([root]).contents
    assert render(contents.notes[0])[0][1] == "<p>\\(\\newcommand{\\RR}{X}\\) and \\(\\RR \\lambda\\)</p>"


def test_plain_tex_in_place_of_a_macro_changes_no_note(write: Write) -> None:
    plain = NOTES.replace(r"\RR^n", r"\mathbb{R}^n").replace(r"$\la x$", r"$\lambda x$")
    hashes = []
    for folder, notes in (("a", NOTES), ("b", plain)):
        root = write({f"{folder}/deck.toml": TOML, f"{folder}/macros.tex": MACROS, f"{folder}/a.md": notes})
        (contents,) = Workspace.read([root / folder]).contents
        hashes.append([summary.fingerprint.content for summary in contents.summaries])
    assert hashes[0] == hashes[1]


def test_a_changed_macro_updates_exactly_the_notes_that_use_it(
    write: Write, ptcards: Ptcards, tmp_path: Path
) -> None:
    notes = (
        "## What is $\\RR$?\n\nThe numbers in $\\RR^n$.\n\n## What is $x$?\n\nA number.\n\n"
        "## A {{c1::gap}}\n\nin $\\norm{x}$\n"
    )
    root = write({"deck/deck.toml": TOML, "deck/macros.tex": MACROS, "deck/a.md": notes}) / "deck"

    def build(time: int) -> dict[str, str]:
        ran = ptcards("build", root, "-o", root / "out", env={"SOURCE_DATE_EPOCH": str(time)})
        assert ran.status == 0, ran.err
        lines = [line.split("\t") for line in (root / "deck.lock").read_text().splitlines()]
        return {line[1]: line[3] for line in lines if line[0] == "note"}

    first = build(1_800_000_000)
    package = (root / "out/m.apkg").rename(tmp_path / "first.apkg")
    ptcards("build", root, "-o", root / "out")
    shutil.copytree(root, tmp_path / "old")
    # A new macro changes nothing.
    (root / "macros.tex").write_text("\\new = x\n" + MACROS)
    assert build(1_800_000_100) == first
    (root / "macros.tex").write_text("\\new = x\n" + MACROS.replace("mathbb", "mathbf"))
    ran = ptcards("diff", root, tmp_path / "old")
    assert [line for line in ran.out.splitlines() if "mathb" in line or "by a macro" in line] == [
        "      question: by a macro",
        "        What is [-$\\mathbb{R}$?-] {+$\\mathbf{R}$?+}",
        "      answer: by a macro",
        "        The numbers in [-$\\mathbb{R}^n$.-] {+$\\mathbf{R}^n$.+}",
    ]
    second = build(1_800_000_200)
    assert second.keys() == first.keys()
    assert [guid for guid, mod in second.items() if mod != first[guid]] == [
        next(guid for guid in first if "RR" in _line_of(root, guid))
    ]
    with learner(tmp_path / "learner") as collection:
        assert import_package(collection, package) == {"new": 3}
        assert import_package(collection, root / "out/m.apkg") == {"updated": 1, "duplicate": 2}
        note = collection.get_note(collection.find_notes("Question:*mathbf*")[0])
        assert note["Answer"] == "<p>The numbers in \\(\\mathbf{R}^n\\).</p>"


def _line_of(root: Path, guid: str) -> str:
    lines = (root / "deck.lock").read_text().splitlines()
    return next(line for line in lines if line.startswith(f"note\t{guid}\t"))


def test_anki_makes_the_cards_of_a_cloze_whose_macros_have_braces_and_colons(
    write: Write, ptcards: Ptcards, tmp_path: Path
) -> None:
    macros = "\\dict = {{a::{#1}}}\n\\like = {{{c7::x}}}\n"
    note = "## A {{c1::$\\dict{\\dict{b}}$}} and $\\dict{{{c2::x\\like}}}$ end\n"
    root = write({"deck.toml": TOML, "macros.tex": macros, "a.md": note})
    assert ptcards("build", root, "-o", root / "out").status == 0
    with learner(tmp_path / "learner") as collection:
        import_package(collection, root / "out/m.apkg")
        (found,) = collection.find_notes("")
        cards = collection.get_note(found).cards()
        assert [card.ord for card in cards] == [0, 1]
        fronts = [card.question() for card in cards]
        assert [">[...]</span>" in front or "[...]" in front for front in fronts] == [True, True]
        assert all(front.rstrip().find(" end") > 0 for front in fronts)


def test_unknown_names_in_a_definition_are_named_once_there(write: Write, ptcards: Ptcards) -> None:
    macros = "\\newcommand{\\RR}{\\mathbb{R}}\n\\bad = \\alhpa + \\RRR + \\begin{bmatirx} #1 \\end{bmatirx}\n\\half = \\frac12\n\\open = (\\left(\n"
    note = "## What is $\\bad x$?\n\nIt is $\\RRx + \\bad y$ and $\\open$.\n\n## What is a half?\n\nIt is $\\bad x$.\n"
    root = write({"deck.toml": TOML, "macros.tex": macros, "a.md": note})
    ran = ptcards("check", root, "--format", "concise")
    lines = [line.rpartition("/")[2] for line in ran.out.splitlines()]
    assert lines[:-1] == [
        "a.md:3:8: warning[unknown-tex-command] MathJax does not know `\\RRx`",
        "a.md:3:28: warning[tex-group] `\\left` without `\\right` in a formula, in `\\open`",
        "a.md:7:1: hint[bare-answer] the answer gives no reason",
        "macros.tex:2:1: warning[unknown-math-environment] MathJax does not know the environment `bmatirx`, in `\\bad`",
        "macros.tex:2:1: warning[unknown-tex-command] MathJax does not know `\\RRR`, in `\\bad`",
        "macros.tex:2:1: warning[unknown-tex-command] MathJax does not know `\\alhpa`, in `\\bad`",
    ]


def test_a_file_full_of_unknown_names_is_checked_up_to_a_limit() -> None:
    texts = {f"m{number}": f"\\unknown{'x' * number}" for number in range(500)}
    assert len(unknown_names_in(texts)) == 20


_PIECES = (
    *(f"\\{name}" for name in GIVEN), "{", "}", "[", "]", "#1", "#", " ", "x", "%", "\n", "^", "\\frac", "\\sqrt", "{{c1::", "::", "}}", "\\verb",
    "\\left", "\\text{", "*", "&", "\\\\", "\\", "\x02", "\x02c1\x03", "\\newcommand", "\\def", "=", "\\big", "\\a", "\\b", "\\require{x}", "é",
)  # fmt: skip


def _random_text(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(_PIECES, k=chance.randrange(most)))


@pytest.mark.parametrize("seed", range(400))
def test_any_formula_ends_with_any_file_of_macros(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        chance.choice(
            ("\\a = {}", "\\b = {}", "\\newcommand{{\\a}}[2]{{{}}}", "\\def\\b#1{{{}}}", "{}")
        ).format(_random_text(chance, 12))
        for _ in range(chance.randrange(6))
    ]
    macros, diagnostics = read_macros("\n".join(lines), "m.tex")
    assert all(each.location.path == "m.tex" for each in diagnostics)
    tex = _random_text(chance, 40)
    for known in (GIVEN, {macro.name: macro for macro in macros}):
        for deletions in (False, True):
            expansion = expand(tex, known, deletions=deletions)
            assert expansion.cost <= MAX_EXPANSION
            assert len(expansion.tex) <= 2 * (len(tex) + expansion.cost)
            assert not expansion.mistake or expansion.tex == tex


@pytest.mark.parametrize(
    "piece", ["\\norm{", "\\dup", "\\root[", "\\drop", "\\half^", "{{c1::\\la", "\\verb|", "%\\la"]
)
def test_a_long_formula_of_any_repetition_is_expanded(piece: str) -> None:
    tex = piece * (60_000 // len(piece))
    assert len(expand(tex, GIVEN, deletions=True).tex) <= len(tex) + 2 * MAX_EXPANSION
