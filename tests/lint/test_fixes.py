"""`check --fix` only fixes what can be fixed safely, and every note keeps its identity."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Ran
from edits import with_edits
from identity_notes import resolve
from parsed import parse
from ptcards.diagnostics import Diagnostic, has_errors
from ptcards.identity.hashes import derive_guid, summarise
from ptcards.identity.lock import Lock
from ptcards.lint.edited_text import edits_of
from ptcards.lint.fixes import FixedText, _apart, fix_text, fixing_rules
from ptcards.lint.registry import LineEdit
from ptcards.notes import Note
from ptcards.notes.rendered import Deck
from ptcards.source.collection import Collection
from ptcards.source.config import plain_config
from ptcards.source.source import Source

Run = Callable[..., Ran]
Write = Callable[..., Path]

QUESTION = "## What is it?\n\nIt is what this says:\n\n"


def fixed(content: str | bytes) -> bytes:
    """Return a source after fixing its file, and check that fixing it again changes nothing."""
    raw = content.encode() if isinstance(content, str) else content
    after = fix_text(*_source(raw), raw, fixing_rules())
    assert bool(after.rounds) == (after.content != raw)
    text = raw.decode("utf-8-sig")
    assert with_edits(text, edits_of(text, after.rounds)) == after.content.decode("utf-8-sig")
    assert fix_text(*_source(after.content), after.content, fixing_rules()) == FixedText(after.content, ())
    return after.content


def _source(content: bytes) -> tuple[Collection, Source]:
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    source = Source(Path("a.md"), "a.md", "a.md", text)
    return Collection(Path(), plain_config("Deck"), False, (source,), None, ()), source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```\nimport torch\nx = 1\n```\n", "```python\nimport torch\nx = 1\n```\n"),
        ("~~~~\ndef f(x):\n    return x\n~~~~\n", "~~~~python\ndef f(x):\n    return x\n~~~~\n"),
        (
            "- a\n\n  ```\n  for x in y:\n      x()\n  ```\n",
            "- a\n\n  ```python\n  for x in y:\n      x()\n  ```\n",
        ),
        ("> ```\n> from a import b\n> ```\n", "> ```python\n> from a import b\n> ```\n"),
        ("```\n>>> 1 + 1\n2\n```\n", "```pycon\n>>> 1 + 1\n2\n```\n"),
        (
            '- a\n\n  ~~~ Pyhton title="x"\n  print(1)\n  ~~~\n',
            '- a\n\n  ~~~ python title="x"\n  print(1)\n  ~~~\n',
        ),
        ("```foo\nx\n```\n\n```jsonn\nx\n```\n", "```foo\nx\n```\n\n```jsonn\nx\n```\n"),
        ("```python\nprint(“a”, ‘b’)\n```\n", "```python\nprint(\"a\", 'b')\n```\n"),
        ("```python\nprint(“it’s”)\n```\n", '```python\nprint("it’s")\n```\n'),
        (
            "```python\nif x:\n\ty = 1\n\tif y:\n\t\tz = 2\n```\n",
            "```python\nif x:\n    y = 1\n    if y:\n        z = 2\n```\n",
        ),
        ("```python\nx\n\n \n```\n\nEnd.\n", "```python\nx\n```\n\nEnd.\n"),
        ("```python\nif x:\n\ty()\n\t\n```\n", "```python\nif x:\n    y()\n```\n"),
        ("> ```\n> x\n>\n> ```\n", "> ```\n> x\n> ```\n"),
        ("End.\n\n\n", "End.\n"),
        ("End.\n  \n ", "End.\n"),
        ("End.\n\n##What is that?\n\nThat.\n", "End.\n\n## What is that?\n\nThat.\n"),
        ("End.\n\n###Hint\n\nThat.\n", "End.\n\n### Hint\n\nThat.\n"),
        ("It is \\(a\\) and \\( b_1 \\), \\[x = 1\\].\n", "It is $a$ and $b_1$, $$x = 1$$.\n"),
        ("It is $ a $ and $b_1 $, $ c +\nd $.\n", "It is $a$ and $b_1$, $ c +\nd $.\n"),
        ("End.\n\n### Source\n\n- here\n", "End.\n\n### Sources\n\n- here\n"),
        ("| a | b |\n|:--|\n| 1 | 2 |\n", "| a | b |\n| :-- | --- |\n| 1 | 2 |\n"),
        ("It is:\n| a | b |\n|--|--|--|", "It is:\n| a | b |\n| -- | -- |"),
        ("> a|b\n> |--+--|\n", "> a|b\n> | -- | -- |\n"),
        ("> | a | b |\n> | 1 | 2 |", "> | a | b |\n> | --- | --- |\n> | 1 | 2 |"),
        ("End.\n\n### detials\n\nMore.\n", "End.\n\n### Details\n\nMore.\n"),
    ],
)
def test_what_is_certain_is_fixed(before: str, after: str) -> None:
    assert fixed(QUESTION + before) == (QUESTION + after).encode()


@pytest.mark.parametrize(
    "source",
    [
        "```\nx = 1\n```\n",
        "```\nimport torch\n```\n",
        "```\nname: value\n```\n",
        "```\n```\n",
        '``` hl_lines="1"\nimport a\nb()\n```\n',
        "    import torch\n    x = 1\n",
        "```text\n“a”\n\tb\n```\n",
        "```bash\necho ‘a’\n```\n",
        "```python\nprint('“a”')\n```\n",
        "```python\nprint(“a”, = )\n```\n",
        '```python\nx = """\n\ta\n"""\n```\n',
        "```python\nif x:\n\ty = 1\n        z = 1\n```\n",
        "```python\nx = 1\t# one\n```\n",
        "##42 of them\n".replace("##42", "text ##42"),
        "- ##What is that?\n",
        "`##x` and “quotes” and\ttabs\n",
        "`\\(a\\)` and \\(a\nb\\) and \\(it costs $5\\)\n",
        "### Resources\n\n- here\n",
        "| a | b |\n|---|\n| 1 |\n",
        "- | a | b |\n  | 1 | 2 |\n",
        "| a | b |\n| 1 | 2 |\n| 3 |\n",
        "|a|\n|b|\n",
    ],
)
def test_what_is_not_certain_is_left_alone(source: str) -> None:
    assert fixed(QUESTION + source) == (QUESTION + source).encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!-- card: id=a dificulty=easy -->\n\nIt.\n", "<!-- card: id=a difficulty=easy -->\n\nIt.\n"),
        ("<!-- card: difficulty=meduim -->\n\nIt.\n", "<!-- card: difficulty=medium -->\n\nIt.\n"),
        ("<!-- card: difficulty=eazy -->\n\nIt.\n", "<!-- card: difficulty=easy -->\n\nIt.\n"),
        ("<!-- card: difficulty=hrad -->\n\nIt.\n", "<!-- card: difficulty=hard -->\n\nIt.\n"),
        ("<!-- card: kind=reverse -->\n\nIt.\n", "<!-- card: kind=reversed -->\n\nIt.\n"),
        ("<!-- card: knd=reversed -->\n\nIt.\n", "<!-- card: kind=reversed -->\n\nIt.\n"),
        ("<!-- card: kind=clozee -->\n\n{{c1:that}}.\n", "<!-- card: kind=cloze -->\n\n{{c1::that}}.\n"),
        ("\n{{c2:22}}.\n", "\n{{c2::22}}.\n"),
        ("\n{c2::22}, {c1::a::b}.\n", "\n{{c2::22}}, {{c1::a::b}}.\n"),
        ("\n- [] a\n- [x] b\n- [ X ] c\n", "\n- [ ] a\n- [x] b\n- [X] c\n"),
        ("\n{{c1::1}} and {{c2:22}}, {{C3::33}}.\n", "\n{{c1::1}} and {{c2::22}}, {{c3::33}}.\n"),
        ("<!-- card: kind=cloze -->\n\n{{c2:22}}.\n", "<!-- card: kind=cloze -->\n\n{{c2::22}}.\n"),
    ],
)
def test_a_slip_in_a_note_is_corrected(before: str, after: str) -> None:
    assert fixed(f"## What is it?\n{before}") == f"## What is it?\n{after}".encode()


@pytest.mark.parametrize(
    "source",
    [
        "<!-- card: difficulty=easy dificulty=hard -->\n\nIt.\n",
        "<!-- card: it=a -->\n\nIt.\n",
        "<!-- card: kind=quiz difficulty=beginner -->\n\nIt.\n",
        "\n- [x] a\n- [-] b\n- c\n",
        "\n{{c1::1}} and {{c2:2 and {{c0:3}} and {{c4:}}.\n",
    ],
)
def test_what_may_mean_something_else_is_left_to_the_author(source: str) -> None:
    assert fixed(f"## What is it?\n{source}") == f"## What is it?\n{source}".encode()


def test_a_question_that_became_the_description_of_a_deck_is_found_and_fixed() -> None:
    source = "# Basics\n\n##What is a list?\n\nA list of things.\n"
    assert fixed(source) == source.replace("##What", "## What").encode()


def test_a_slip_in_front_matter_is_corrected() -> None:
    before = "---\ndificulty: easy\ntag: [a]\n---\n\n## What is it?\n\nIt.\n"
    assert fixed(before) == before.replace("dificulty", "difficulty").replace("tag:", "tags:").encode()


def test_a_short_word_in_front_matter_is_corrected() -> None:
    before = "---\ndifficulty: eazy\n---\n\n## What is it?\n\nIt.\n"
    assert fixed(before) == before.replace("eazy", "easy").encode()


def test_a_picture_that_is_elsewhere_in_the_collection_is_found_if_it_is_the_only_one(
    write: Write, ptcards: Run
) -> None:
    text = '# A\n\n## What is it?\n\n![a](one.png) <img src="my plot.png"> ![b](x/two.png) ![c](nil.png)\n'
    files = {"img/one.png": "1", "img/my plot.png": "2", "img/two.png": "3", "img/deep/two.png": "4"}
    root = write({"deck.toml": 'name = "D"\nid = "d"\n', "sub/a.md": text, **files})
    out = ptcards("check", root, "--select", "missing-media").out
    until = "; until then, write `<!-- card: draft -->` below the question"
    assert re.findall(r"help: (.*)", out) == [
        "did you mean `../img/one.png`?",
        "did you mean `../img/my%20plot.png`?",
        f"write a path relative to the Markdown file's folder{until}",  # for the two that are not found
    ]
    assert ptcards("check", root, "--fix", "-q").status == 1
    expected = text.replace("one.png", "../img/one.png").replace("my plot.png", "../img/my%20plot.png")
    assert (root / "sub" / "a.md").read_text() == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_with_an_unfinished_merge_is_left_alone(end: str) -> None:
    lines = ("<<<<<<< HEAD", "one ", "=======", "two ", ">>>>>>> review", "", "", "")
    merged = end.join(("## What is it?", "", *lines)).encode()
    assert fixed(merged) == merged


def test_for_one_place_there_are_never_two_cures() -> None:
    clash = [
        LineEdit(1, 3, "abc", "x"),
        LineEdit(1, 5, "c", "y"),
        LineEdit(1, 9, "d", "z"),
        LineEdit(2, 1, "", "-"),
        LineEdit(2, 1, "e", ""),
    ]
    assert _apart(clash) == [LineEdit(1, 9, "d", "z")]


def test_a_file_of_blank_lines_becomes_empty() -> None:
    assert [fixed(text) for text in ("", "  ", "\n", "\n \n")] == [b"", b"", b"", b""]


def test_line_ends_a_byte_order_mark_and_a_missing_last_line_end_stay() -> None:
    before = "\ufeff## What is it?\r\n\r\n```\rimport a\nb()\r\n```\n\r\nEnd, “so”."
    assert fixed(before) == before.replace("```\r", "```python\r").encode()


def test_a_fix_that_would_make_another_note_of_it_is_not_made() -> None:
    asked = (
        "## What does this print?\n\n```\nimport a\nprint(a)\n```\n\n### Answer\n\nA module, as it is one.\n"
    )
    assert fixed(asked) == asked.encode()
    with_id = asked.replace("print?\n", "print?\n<!-- card: id=a -->\n")
    assert fixed(with_id) == with_id.replace("```\nimport", "```python\nimport").encode()


def test_a_fix_that_would_bring_an_error_is_not_made_and_keeps_none_of_the_others_back() -> None:
    before = QUESTION + "Yes.\n\n##What is it?\n\nIt is what this says:\n\n```\nimport a\nb()\n```\n"
    assert fixed(before) == before.replace("```\nimport", "```python\nimport").encode()


FRAGMENTS = st.sampled_from(
    [
        "## What is it?",
        "## What is that?",
        "## Third",
        "##Glued",
        "###Hint",
        "### Answer",
        "### Details",
        "<!-- card: id=a -->",
        "<!-- card: id=b kind=cloze -->",
        "Some text, “quoted”.",
        "It is {{c1::this}}.",
        "- [x] right",
        "- [] odd",
        "- [ X ] odd",
        "It is \\(x_1\\) and {{c2:so}} or {{C1::thus}}.",
        "\\[y = {{c1::2}}\\] \\(a",
        "### Source",
        "### detail",
        "<!-- card: id=c kind=reverse -->",
        "<!-- card: dificulty=esay -->",
        "- [ ] wrong",
        "- item\n  ```\n  import a\n\tb()\n\n  ```",
        "```\nimport a\nb()\n\n```",
        "```python\nif x:\n\ty = “a”\n\n```",
        "```python\nprint(‘a’)\n```",
        "> ```\n> from a import b\n>\n> ```",
        "```\nunclosed",
        "# Deck",
        "",
        "  ",
    ]
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENTS, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_no_fix_changes_who_a_note_is_or_anything_else(parts: list[str], end: str, closed: bool) -> None:
    before = ("\n\n".join(parts) + "\n" * closed).replace("\n", end)
    after = fixed(before).decode()
    assert _bare(after) == _bare(before)
    assert set(re.findall(r"\r\n|\r|\n", after)) <= {end}
    old, new = _parsed(before)[0], _parsed(after)[0]
    guids = [derive_guid(summarise(note), "i", ()) for note in new]
    for note in old:
        guids.remove(derive_guid(summarise(note), "i", ()))
    if not has_errors(_parsed(before)[2]):  # otherwise, the note was never published
        assert _published(old) <= _published(old, new)


def _bare(text: str) -> list[str]:
    """Return a text without everything that a fix may change."""
    text = re.sub(r"(?m)^([> -]*(?:```|~~~))(?:python|pycon)?(?=\s)", r"\1", re.sub(r"\r\n?", "\n", text))
    text = text.translate(str.maketrans("“”‘’", "\"\"''")).replace("\t", "    ")
    text = re.sub(r"\{\{[cC](\d)::?", r"{{c\1::", re.sub(r"\\[()[\]]|\$", "", text))
    text = re.sub(r"\[ *([xX]?) *\]", r"[\1]", text)
    for slip, word in (("Source\n", "Sources\n"), ("detail\n", "Details\n"), ("reverse ", "reversed ")):
        text = f"{text}\n".replace(slip, word)
    text = text.replace("dificulty", "difficulty").replace("esay", "easy")
    lines = [re.sub(r"^(#{2,6}) (?=\S)", r"\1", line) for line in text.split("\n")]
    return [line for line in lines if line.strip("> ")]


def _parsed(text: str) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
    return parse(_source(text.encode())[0])


def _published(notes: tuple[Note, ...], later: tuple[Note, ...] | None = None) -> set[str]:
    """Publish notes and then a later version; return the GUIDs that learners have and still receive."""
    resolution, _ = resolve(notes, Lock("i"))
    if later is not None:
        resolution, _ = resolve(later, resolution.lock)
    return {each.guid for each in resolution.notes}


def test_the_command_fixes_the_file_says_so_and_reports_the_rest(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    folder = write(
        {
            "deck.toml": 'name = "Deck"\nid = "i"\n',
            "a.md": QUESTION + "```\nimport a\nb()\n```\n\n##Explain it.\n\nIt is what it is, and so on.\n",
            "b.md": "## What is that?\n\nIt is another thing, and so on.\n",
        }
    )
    untouched = (folder / "b.md").stat().st_mtime_ns
    ran = ptcards("check", folder, "--fix", "--format", "concise")
    assert ran == Ran(
        0,
        "a.md:10:4: warning[vague-question] `Explain` does not say what to answer\n1 warning\n",
        "Fixed 2 findings in a.md: fence-without-language, heading-without-space\n",
    )
    assert (folder / "a.md").read_text("utf-8") == (
        QUESTION + "```python\nimport a\nb()\n```\n\n## Explain it.\n\nIt is what it is, and so on.\n"
    )
    assert (folder / "b.md").stat().st_mtime_ns == untouched
    assert ptcards("check", folder, "--fix").err == ""


@pytest.mark.extensions
def test_a_hint_that_is_fixed_on_a_line_with_an_error_is_counted(
    ptcards: Callable[..., Ran], write: Callable[..., Path]
) -> None:
    text = QUESTION + "It :smile: is so.\n\n## What is that?\n\nIt is :smile: and ![a](none.png).\n"
    folder = write({"deck.toml": 'name = "Deck"\nid = "i"\n', "a.md": text})
    ran = ptcards("check", folder, "--fix", "--select", "emoji-shortcode")
    assert ran == Ran(
        0, "", "Fixed 2 findings in a.md: emoji-shortcode (2)\nChecked 2 notes: nothing to report\n"
    )
    assert ":smile:" not in (folder / "a.md").read_text("utf-8")


def test_what_is_ignored_is_not_fixed(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    code = "## Where?\n\nHere:\n\n```python\nx = “a”\n```\n"
    ignored = code.replace("\n\n", "\n<!-- card: ignore=smart-quotes-in-code -->\n\n", 1)
    toml = 'name = "D"\nid = "d"\n[check.per-file-ignores]\n"old.md" = ["smart-quotes-in-code"]\n'
    root = write({"deck.toml": toml, "old.md": code, "note.md": ignored, "new.md": code})
    ran = ptcards("check", "--fix", root)
    assert "Fixed " in ran.err
    texts = [(root / name).read_text("utf-8") for name in ("old.md", "note.md", "new.md")]
    assert texts == [code, ignored, code.replace("“a”", '"a"')]


def test_only_what_is_selected_is_fixed(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    text = QUESTION + "Yes, it is so.\n\n\n"
    folder = write(
        {"deck.toml": 'name = "Deck"\nid = "i"\n', "a.md": text, "b.md": text.replace("it?", "that?")}
    )
    assert ptcards("check", folder / "b.md", "--fix").err.startswith(
        "Fixed 1 finding in b.md: closing-blank-lines\n"
    )
    assert (folder / "a.md").read_text("utf-8") == text


def test_a_link_stays_a_link(ptcards: Callable[..., Ran], write: Callable[..., Path]) -> None:
    folder = write({"deck.toml": 'name = "Deck"\nid = "i"\n', "_real.md": QUESTION + "Yes, it is so.\n\n"})
    (folder / "a.md").symlink_to("_real.md")
    ptcards("check", folder, "--fix")
    assert (folder / "a.md").is_symlink()
    assert (folder / "_real.md").read_text("utf-8") == QUESTION + "Yes, it is so.\n"


def test_a_link_to_nowhere_is_not_fixed_with_itself(tmp_path: Path, ptcards: Run) -> None:
    (tmp_path / "l.png").symlink_to("gone.png")
    (tmp_path / "a.md").write_text("## Which?\n\nLook:\n![p](l.png)\n")
    for command in (["check"], ["check", "--fix"], ["build", "-o", tmp_path / "out"]):
        ran = ptcards(*command, tmp_path)
        assert (ran.status, "error[missing-media]" in ran.err + ran.out) == (1, True)
    assert (tmp_path / "a.md").read_text() == "## Which?\n\nLook:\n![p](l.png)\n"


@pytest.mark.extensions
def test_a_link_to_the_top_below_an_answer_is_deleted(
    write: Callable[[dict[str, str]], Path], ptcards: Run
) -> None:
    text = "## What is it?\n\nThis.\n\n[to the top](#it)\n\n## Who is it?\n\nShe.\n"
    root = write({"deck.toml": 'name = "D"\nid = "d"\n', "a.md": text})
    assert ptcards("check", root, "--fix").status == 0
    assert (root / "a.md").read_text() == "## What is it?\n\nThis.\n\n\n## Who is it?\n\nShe.\n"
