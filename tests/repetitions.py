"""Texts that repeat a few characters, in every place where a stranger can put text.

A search that goes to the end of the text for each repetition takes time that grows with the square.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from packages import a_database, write_zip
from ptcards.anki.built_in_notetypes import FIELDS, note_types

TOKENS = (
    "a", "word ", "1", " ", "  ", "\t", "\u00a0", "é", "字", "\\", "/", ".", ",", ":", ";", "!", "?", "|", "&", "@", "#", "%", "+", "=",
    "-", "_", "*", "~", "^", "$", "`", '"', "'", "(", ")", "[", "]", "{", "}", "<", ">", "::", "==", "%%", "$$", "**", "__",
    "``", "```", "~~~", "--", "---", "![", "](", "][", "[[", "]]", "[^", "^[", "{{", "}}", "<!--", "-->", "{{c1::", "{{c2::a::",
    "<a ", "<b", "</b", "<br>", "<p>", "<code", "<pre>", "<img src=", ' src="', "<details>", "<summary", "<style", "<script",
    "\\(", "\\)", "\\[", "\\begin{", "[sound:", "[latex]", "[$]", "[[type:", "url(", "data:", "&amp;", "&#", "http://a", "www.", "a@b",
    "- ", "+ ", "1. ", "- [ ] ", "> ", "> [!a]", "# ", "## ", "| ", "|-", ":-", "#a ", "^a", "Q: ", "A: ", "C: [", "START ",
    "ID: 1", "<!--SR:", "<!-- card: ", "id=", 'tags="', "{{#a}}", "{{/a}}", "{{a:", "name =", "a.b", "字[", "!!", "...", "…", "“",
    "answer", "Answer: A, ", "how about ", "as we ", "not ", "==a ", "^a ", "![[a.png", "[x][", "/*", "//", '\\"', "x-1", "1.1.",
)  # fmt: skip
"""What searches look for: marks that open, close or separate something, and what they skip."""

_ALWAYS = (
    "<a ", "[sound:", "url(", "<!-- {{Front}} ", "{{", "<!--", "[", "![", "`", "$", "*a ", "{{c1::", "==a ", "a", " ", "word ", "\u00a0",
    ' src="', "<a b='", "&", "#a ", "?", "::", "%%", "-", "|-", "\\(", "[a](", "[^a]: ", '\\"', "字[",
)  # fmt: skip


def atoms(random: Random, count: int) -> list[str]:
    """Return what to repeat: known marks, and random combinations of up to four tokens."""
    drawn = ("".join(random.choices(TOKENS, k=random.choice((1, 2, 2, 3, 4)))) for _ in range(count))
    return list(dict.fromkeys([*_ALWAYS, *drawn]))


Command = tuple[str | Path, ...]
Write = Callable[[Path, str], list[Command]]
"""Writes a text below a folder, and returns the commands that read it."""

_TOML = 'name = "Deck"\nid = "deck"\n'
_NOTE = "## Why?\n\nSo.\n"
_FOLD = "<details>\n<summary>Answer</summary>\n"
_FOLDED = f"## Why?\n\n{_FOLD}\nSo.\n\n</details>"


class Place(NamedTuple):
    """A place for text; `has_lines` is true if the text may have several lines."""

    write: Write
    has_lines: bool = False


def _files(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in ({"deck.toml": _TOML, "a.md": _NOTE} | dict(files)).items():
        file = folder / "clone" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8", newline="")


def _clone(*names_and_forms: str, toml: str = "", html: bool = False) -> Write:
    """Return a function that puts a text into files, whose forms contain `TEXT`."""
    forms = dict(zip(names_and_forms[::2], names_and_forms[1::2], strict=True))

    def write(folder: Path, text: str) -> list[Command]:
        _files(folder, {"deck.toml": _TOML + toml} | {n: f.replace("TEXT", text) for n, f in forms.items()})
        clone, out = folder / "clone", folder / "out"
        formats = ("--format", "html") if html else ()
        return [("check", clone), ("build", clone, "-o", out, *formats)]

    return write


def _quoted(*names_and_forms: str, toml: str = "") -> Write:
    """Return a function that puts a text into files as a string in double quotes."""
    write = _clone(*names_and_forms, toml=toml)
    return lambda folder, text: write(folder, json.dumps(text, ensure_ascii=False))


def _source(before: str, after: str = "", toml: str = "", *, html: bool = False) -> Write:
    return _clone("a.md", f"{before}TEXT{after}", toml=toml, html=html)


def _changed(folder: Path, text: str) -> list[Command]:
    """Write two versions of a note, of which one has more of a text."""
    for name, answer in (("old", text[: len(text) // 2]), ("clone", text)):
        _files(folder / name, {"a.md": f"## Why?\n\nSo.\n\n{answer}\n"})
    return [("diff", folder / "clone" / "clone", folder / "old" / "clone")]


def _fixed(folder: Path, text: str) -> list[Command]:
    _files(folder, {"a.md": f"## Why?\n\n{text}\n"})
    return [("check", "--fix", folder / "clone")]


def _package(**values: str) -> Write:
    """Return a function that makes a package with `TEXT` in some values, and imports it."""

    def write(folder: Path, text: str) -> list[Command]:
        file = _written_package(folder, {name: value.replace("TEXT", text) for name, value in values.items()})
        options = ("--fresh",) if "fresh" in values else ()
        return [("import", file, folder / "out", "--id", "deck", "--name", "Deck", *options)]

    return write


def _written_package(folder: Path, values: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    fields: tuple[str, ...] = ("Front", "Back")
    number = 7
    if "own" in values:
        fields, number = FIELDS, note_types("deck", "", "")[0].id
    templates = [{"name": "Card 1", "ord": 0, "qfmt": values.get("front", "{{Front}}"), "afmt": "{{Back}}"}]
    model = {
        "id": number,
        "name": values.get("type", "Basic"),
        "mod": 1,
        "type": int("cloze" in values),
        "flds": [{"name": values.get(name, name), "ord": n} for n, name in enumerate(fields)],
        "tmpls": templates,
        "css": values.get("css", ""),
    }
    deck: dict[str, object] = {"name": values.get("deck", "Geo"), "desc": values.get("description", "")}
    deck |= {"md": True} if "markdown" in values else {}
    cells = [""] * len(fields)
    first, second = ("Question", "Answer") if "own" in values else ("Front", "Back")
    asked = '<p class="heading">Question?</p>' if "own" in values else "Question?"
    cells[fields.index(first)] = values.get("first", asked)
    cells[fields.index(second)] = values.get("second", "Answer")
    a_database(folder)
    with sqlite3.connect(folder / "made.sqlite") as connection:
        about = (json.dumps({str(number): model}), json.dumps({"5": deck}))
        connection.execute("UPDATE col SET models = ?, decks = ?", about)
        note = (number, values.get("guid", "g"), values.get("tags", ""), "\x1f".join(cells))
        connection.execute("UPDATE notes SET mid = ?, guid = ?, tags = ?, flds = ?", note)
    connection.close()
    return write_zip(folder / "deck.apkg", {"collection.anki2": (folder / "made.sqlite").read_bytes()})


def _import(name: str, form: str, *options: str) -> Write:
    def write(folder: Path, text: str) -> list[Command]:
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(form.replace("TEXT", text), "utf-8", newline="")
        return [("import", folder / name, folder / "out", *options)]

    return write


def _note_type(side: str, css: str = "", source: str = "So.\n") -> Write:
    about = {"name": "Own", "fields": ["Front", "Back"], "templates": [{"name": "Card 1", "file": "card"}]}
    return _clone(
        *("notetypes/own/notetype.json", json.dumps(about)),
        *("notetypes/own/card.front.html", side, "notetypes/own/card.back.html", "{{Back}}"),
        *("notetypes/own/style.css", css, "a.md", f"## Why?\n<!-- card: type=own -->\n\n{source}"),
        html=True,
    )


def _dialect(name: str, before: str, after: str = "") -> Write:
    return _source(before, after, f'dialect = "{name}"\n')


def _plugin(form: str) -> Write:
    name = "obsidian-to-anki-plugin" if "Syntax" in form or "fields" in form else "obsidian-spaced-repetition"
    dialect = "qa" if "to-anki" in name else "obsidian"
    file = f".obsidian/plugins/{name}/data.json"
    return _quoted(file, form, "a.md", "#flashcards\n\na::b\n\nQ: a\nA: b\n", toml=f'dialect = "{dialect}"\n')


PLACES: Mapping[str, Place] = MappingProxyType(
    {
        "page": Place(_source(""), has_lines=True),
        "answer": Place(_source("## Why?\n\n", "\n", html=True), has_lines=True),
        "question": Place(_source("## ", "\n\nSo.\n")),
        "long question": Place(_source("## Why?\n\n", "\n\n### Answer\n\nSo.\n"), has_lines=True),
        "cloze": Place(
            _source("## Why?\n<!-- card: kind=cloze -->\n\n{{c1::a}} ", html=True), has_lines=True
        ),
        "typed": Place(_source("## Why?\n<!-- card: kind=typed -->\n\n")),
        "option": Place(_source("## Which?\n\n- [x] a\n- [ ] ")),
        "card comment": Place(_source("## Why?\n<!-- card: ", " -->\n\nSo.\n"), has_lines=True),
        "front matter": Place(_source("---\n", "\n---\n\n## Why?\n\nSo.\n"), has_lines=True),
        "deck": Place(_source("# ", "\n\n## Why?\n\nSo.\n")),
        "table": Place(_source("## Why?\n\n| a |\n|---|\n| ", " |\n")),
        "line below a paragraph": Place(_source("## Why?\n\na\n")),
        "words of a fence": Place(_source("## Why?\n\n~~~python ", "\nx = 1\n~~~\n")),
        "Python": Place(_source("## Why?\n\n~~~~~~python\n", "\n~~~~~~\n"), has_lines=True),
        "other code": Place(_source("## Why?\n\n~~~~~~js\n", "\n~~~~~~\n"), has_lines=True),
        "output": Place(_source("## Why?\n\n~~~~~~output\n", "\n~~~~~~\n"), has_lines=True),
        "HTML of a note type": Place(
            _note_type("{{Front}}", source="~~~~~~{=html}\nTEXT\n~~~~~~\n"), has_lines=True
        ),
        "HTML": Place(_source("## Why?\n\n~~~~~~{=html}\n", "\n~~~~~~\n", html=True), has_lines=True),
        "formula": Place(_source("## Why?\n\n$x", "$ so\n")),
        "text of a picture": Place(_source("## Why?\n\n![", "](a.png)\n")),
        "address": Place(_source("## Why?\n\n[a](<", ">)\n")),
        "marks of a vault": Place(
            _source("## Why?\n\n", "\n", toml='inlines = "obsidian"\n'), has_lines=True
        ),
        "marked cards": Place(_source("", toml='cards = "marked"\n'), has_lines=True),
        "obsidian": Place(_dialect("obsidian", "#flashcards\n\na::b\n\n"), has_lines=True),
        "obsidian: question": Place(_dialect("obsidian", "#flashcards\n\na::")),
        "details": Place(
            _dialect("details:heading", f"## Why?\n\n{_FOLD}\nSo.\n\n", "\n</details>\n"), has_lines=True
        ),
        "details by heading": Place(_dialect("details:heading", f"{_FOLDED}\n\n"), has_lines=True),
        "details by summary": Place(
            _dialect("details:summary", "<details>\n<summary>Why?</summary>\n\nSo.\n\n</details>\n\n"),
            has_lines=True,
        ),
        "details in bold": Place(_dialect("details:bold", "**Why?**\n\nSo.\n\n**How?**\n\n"), has_lines=True),
        "details by item": Place(_dialect("details:item", "- ### Why?\n\n  So.\n\n"), has_lines=True),
        "question of details": Place(
            _dialect("details:heading", "## Why? ", f"\n\n{_FOLD}\nSo.\n\n</details>\n")
        ),
        "options of details": Place(
            _dialect(
                "details:heading", f"## Which?\n\n- A: a\n- B: b\n\n{_FOLD}\nAnswer: A ", "\n\n</details>\n"
            )
        ),
        "qa": Place(_dialect("qa", "Q: a\nA: b\n"), has_lines=True),
        "qa: deletions": Place(_dialect("qa", "C: [a] ")),
        "qa: blocks": Place(_dialect("qa:id", "START\nBasic\nFront: a\nBack: ", "\nEND\n"), has_lines=True),
        "qa: late id": Place(_dialect("qa:blank-line", "Q: a\nA: b <!--ID: 1234567890")),
        "fixes": Place(_fixed, has_lines=True),
        "changes": Place(_changed, has_lines=True),
        "deck.toml: description": Place(_quoted("deck.toml", f"{_TOML}description = TEXT\n", "a.md", _NOTE)),
        "deck.toml: name": Place(_quoted("deck.toml", 'id = "deck"\nname = TEXT\n')),
        "deck.toml: exclude": Place(_quoted("deck.toml", f"{_TOML}exclude = [TEXT]\n")),
        "deck.toml: tags": Place(_quoted("deck.toml", f"{_TOML}tags = [TEXT]\n")),
        "deck.toml: key": Place(_clone("deck.toml", f"{_TOML}TEXT = 1\n"), has_lines=True),
        "deck.toml: report": Place(_quoted("deck.toml", f"{_TOML}report = TEXT\n")),
        "css": Place(_clone("look.css", "TEXT", toml='css = "look.css"\n'), has_lines=True),
        "template": Place(_note_type("{{Front}}TEXT"), has_lines=True),
        "css of a note type": Place(_note_type("{{Front}}", "TEXT"), has_lines=True),
        "deck.lock": Place(_clone("deck.lock", "ptcards-lock\t3\tdeck\nTEXT\n"), has_lines=True),
        "remote.tsv": Place(
            _clone("media/remote.tsv", "https://a.example/a.png\ta.png\nTEXT\n"), has_lines=True
        ),
        "tags of a plugin": Place(_plugin('{"settings": {"flashcardTags": ["#flashcards", TEXT]}}')),
        "separators of a plugin": Place(_plugin('{"settings": {"singleLineCardSeparator": TEXT}}')),
        "words of a plugin": Place(_plugin('{"settings": {"Syntax": {"Begin Note": TEXT}}}')),
        "expressions of a plugin": Place(
            _plugin('{"fields_dict": {"a": ["b"]}, "settings": {"CUSTOM_REGEXPS": {"a": TEXT}}}')
        ),
        "package: answer": Place(_package(second="TEXT"), has_lines=True),
        "package: question": Place(_package(first="TEXT"), has_lines=True),
        "package: deletions": Place(_package(first="{{c1::a}} TEXT", cloze="", front="{{cloze:Front}}")),
        "package: new deck": Place(_package(first="Why?", second="TEXT", fresh=""), has_lines=True),
        "package: own question": Place(
            _package(first='<p class="heading">TEXT</p>', own="", front="{{Question}}"), has_lines=True
        ),
        "package: own answer": Place(_package(second="TEXT", own="", front="{{Question}}"), has_lines=True),
        "package: template": Place(_package(front="{{Front}}TEXT"), has_lines=True),
        "package: template for a new deck": Place(_package(front="{{Front}}TEXT", fresh="")),
        "package: css": Place(_package(css="TEXT"), has_lines=True),
        "package: description": Place(_package(description="TEXT"), has_lines=True),
        "package: Markdown description": Place(_package(description="TEXT", markdown=""), has_lines=True),
        "package: deck": Place(_package(deck="TEXT")),
        "package: tags": Place(_package(tags="TEXT")),
        "package: GUID": Place(_package(guid="TEXT")),
        "package: name of a note type": Place(_package(type="TEXT")),
        "package: name of a field": Place(_package(Back="TEXT")),
        "unknown Markdown": Place(_import("a.md", "# a\n\nTEXT\n"), has_lines=True),
        "table in CSV": Place(_import("a.csv", "question,answer\na,TEXT\n")),
        "table from Anki": Place(
            _import("a.txt", "#separator:tab\n#html:true\n#columns:question\tanswer\na\tTEXT\n")
        ),
    }
)
"""Where a stranger can put text: in a clone, in what it is imported from, and in a package."""

KNOWN = (
    ("HTML", "<a "),
    ("package: answer", "<a "),
    ("package: answer", "[sound:"),
    ("package: answer", "url("),
    ("template", "<!-- {{Front}} "),
    ("package: template", "<!-- {{Front}} "),
)
"""What once took more than a minute."""
