"""Sources to notes: `cases/` shows what Markdown becomes.

`parse.md` is for our own format, the others are for dialects.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Case, case_parameters
from handmade import a_note
from ptcards.identity.hashes import summarise
from ptcards.markdown.blocks import scan
from ptcards.markdown.deadline import deadline
from ptcards.notes import Note, Text
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import find_keys
from ptcards.source.collection import CollectionFacts, find_collections
from ptcards.source.dialects import all_dialects
from ptcards.source.media import MediaFolder
from ptcards.workspace import Workspace


def _indented(name: str, text: Text | str) -> list[str]:
    markdown = text if isinstance(text, str) else text.markdown
    return (
        [
            f"  {name}: {line}" if n == 0 else f"  {' ' * len(name)}| {line}"
            for n, line in enumerate(markdown.split("\n"))
        ]
        if markdown
        else []
    )


def _describe(note: Note) -> list[str]:
    lines = [f"{note.location.line}:{note.location.column} {note.kind} {note.deck} {note.key}".rstrip()]
    lines += [
        f"  {name}: {value}"
        for name, value in (
            ("id", note.id),
            ("difficulty", note.difficulty),
            ("tags", " ".join(note.tags)),
            ("ignore", " ".join(note.ignore)),
        )
        if value
    ]
    lines += (
        _indented("heading", note.heading)
        + _indented("question", note.question)
        + _indented("typed", note.typed)
    )
    for choice in note.choices:
        lines += _indented("right" if choice.correct else "wrong", choice.text) + _indented(
            "comment", choice.comment
        )
    for name in ("answer", "hint", "details", "sources"):
        lines += _indented(name, getattr(note, name))
    lines += ["  deletions in code are asked"] if note.code_deletions else []
    lines += [f"  media: {media.written} {media.name}" for media in note.media]
    return lines


@pytest.mark.parametrize(
    ("name", "case"),
    [each for name in ("parse", *all_dialects()) for each in case_parameters(name)],
)
def test_source_becomes_notes(
    name: str, case: Case, write: Callable[[dict[str, str]], Path], expect: Callable[[str, Case, str], None]
) -> None:
    root = write({"deck.toml": 'name = "Deck"\nid = "d"\n', "notes.md": case.source})
    workspace = Workspace.read([root])
    (contents,), diagnostics = workspace.contents, workspace.diagnostics
    lines = [line for note in contents.notes for line in _describe(note)]
    lines += [f"deck {deck.name}: {deck.description}" for deck in contents.decks if deck.description]
    for each in sorted(diagnostics, key=lambda each: each.location):
        lines.append(
            f"{each.location.line}:{each.location.column}+{each.length} {each.severity}[{each.rule}] {each.message}".replace(
                f"{root.as_posix()}/", ""
            )
        )
        lines.append(f"  help: {each.help}".replace(f"{root.as_posix()}/", ""))
    expect(name, case, "\n".join(lines) + "\n")


def test_thousands_of_equal_questions_get_their_keys_in_time() -> None:
    """If the search for a free name began at 2 for each of them, it would take minutes."""
    note = summarise(a_note("Why?", "Because."))
    with deadline(30):
        keys = find_keys([note] * 40_000)
    assert keys == ["why", *(f"why~{number}" for number in range(2, 40_001))]


_LINES = st.sampled_from(
    (
        "",
        "text *em*",
        "see [a] and [^f]",
        "- item",
        "  - sub",
        "   deeper",
        "1. one",
        "- [x] done",
        "-",
        "    code",
        "\tcode",
        "> quote",
        "> - item",
        "===",
        "* * *",
        "### Hint",
        "### Other",
        "#### Small",
        "## Next?",
        "```python",
        "  ```",
        "~~~",
        "<!-- comment -->",
        "<!-- open",
        "-->",
        "<!-- card: kind=cloze -->",
        "<div>",
        "</div>",
        "<pre>",
        "| a | b |",
        "|---|---|",
        "[a]: https://x.y",
        "'title'",
        "[^f]: foot",
        "  ",
        "{{c1::x}}",
    )
)


@settings(max_examples=400)
@given(st.lists(_LINES, max_size=16))
def test_the_blocks_kept_of_a_notes_texts_are_those_that_a_scan_finds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    file = tmp_path_factory.mktemp("source") / "notes.md"
    file.write_text("\n".join(["## Question?", *lines]), "utf-8")
    (collection,), _ = find_collections([file])
    (source,) = collection.sources
    parsed = parse_source(CollectionFacts.of(collection), source, MediaFolder(collection.root))
    texts = [getattr(note, name) for note in parsed.notes for name in ("question", "answer", "hint")]
    assert [scan(each.markdown) for each in texts] == [scan(each.markdown, keep=False) for each in texts]
