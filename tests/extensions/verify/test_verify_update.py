"""`ptcards verify --update`: `output` blocks are rewritten, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from unsandboxed import verify_unsandboxed

from conftest import Ran
from ptcards.diagnostics import Location
from ptcards.extensions.verify.judge import Rewrite
from ptcards.extensions.verify.verification import rewritten
from ptcards.notes import Kind, Note, Text
from ptcards.source.code_blocks import find_code

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def update(ptcards: Run, write: Write, tmp_path: Path) -> Callable[..., tuple[Ran, bytes]]:
    """Write a source and verify it with `--update`; return the messages and the new content of the file."""

    def run(source: bytes, *options: str) -> tuple[Ran, bytes]:
        write({"a.md": source})
        ran = verify_unsandboxed(ptcards, tmp_path / "a.md", "--update", *options, cache=tmp_path / "cache")
        return ran, (tmp_path / "a.md").read_bytes()

    return run


def test_wrong_and_empty_outputs_are_filled_and_right_ones_stay(
    update: Callable[..., tuple[Ran, bytes]],
) -> None:
    ran, content = update(
        b"## One?  \n\n```python\nprint(1)\nprint()\nprint(2)\n```\n\n```output\n```\n\n"
        b"## Two?\n\n```python\nprint(3)\n```\n\n~~~output\n4\n5\n~~~\n\n"
        b"## Three?\n\n```python\nprint(id(0))\n```\n\n```output\n...   \n```\n\n"
        b"## Four?\n\n```python raises=KeyError\nprint(5)\n{}['a']\n```\n\n```output\n```\n\ttail  "
    )
    assert content == (
        b"## One?  \n\n```python\nprint(1)\nprint()\nprint(2)\n```\n\n```output\n1\n\n2\n```\n\n"
        b"## Two?\n\n```python\nprint(3)\n```\n\n~~~output\n3\n~~~\n\n"
        b"## Three?\n\n```python\nprint(id(0))\n```\n\n```output\n...   \n```\n\n"
        b"## Four?\n\n```python raises=KeyError\nprint(5)\n{}['a']\n```\n\n```output\n5\nKeyError: 'a'\n```\n\ttail  "
    )
    assert ran.status == 0
    assert ran.err.splitlines()[-1] == "rewritten: 3 output blocks"


def test_carriage_returns_the_byte_order_mark_and_nesting_stay(
    update: Callable[..., tuple[Ran, bytes]],
) -> None:
    ran, content = update(
        b"\xef\xbb\xbf## One?\r\n\r\n1.  item\r\n\r\n    > ```python\r\n    > print(1)\r\n    > print()\r\n    > print(2)\r\n    > ```\r\n"
        b"    >\r\n    > ```output\r\n    > old\r\n    > ```\r\n\r\n- ```python\r\n  print('b')\r\n  ```\r\n- ```output\r\n  ```\r\n"
    )
    assert content == (
        b"\xef\xbb\xbf## One?\r\n\r\n1.  item\r\n\r\n    > ```python\r\n    > print(1)\r\n    > print()\r\n    > print(2)\r\n    > ```\r\n"
        b"    >\r\n    > ```output\r\n    > 1\r\n    >\r\n    > 2\r\n    > ```\r\n\r\n- ```python\r\n  print('b')\r\n  ```\r\n- ```output\r\n  b\r\n  ```\r\n"
    )
    assert ran.status == 0


def test_a_fence_grows_where_its_output_would_close_it(update: Callable[..., tuple[Ran, bytes]]) -> None:
    _, content = update(
        b"## One?\n\n```python\nprint('a', '```', ' ````', sep='\\n')\n```\n\n```output title=\"x\"\n```\n"
    )
    assert content.endswith(b'`````output title="x"\na\n```\n ````\n`````\n')


@pytest.mark.parametrize(
    "note",
    [
        b"```python\nprint(1)\n1 / 0\n```\n\n```output\nold\n```\n",
        b"```python raises=KeyError\nint('x')\n```\n\n```output\nold\n```\n",
        b"```python raises=KeyError\nprint(1)\n```\n\n```output\nold\n```\n",
        b"```pycon\n>>> 1\n2\n```\n",
        b"```python\nprint('x' * (2 << 20))\n```\n\n```output\nold\n```\n",
    ],
)
def test_what_is_wrong_in_another_way_is_left_alone(
    update: Callable[..., tuple[Ran, bytes]], note: bytes
) -> None:
    ran, content = update(b"## One?\n\n" + note)
    assert (ran.status, content) == (1, b"## One?\n\n" + note)


def test_an_output_with_deletions_is_left_alone(update: Callable[..., tuple[Ran, bytes]]) -> None:
    source = b"## One?\n<!-- card: kind=cloze -->\n\n```python\nprint(1)\n```\n\n```output\n{{c1::2}}\n```\n"
    ran, content = update(source)
    assert (ran.status, content) == (1, source)


def test_a_second_run_has_nothing_to_write(update: Callable[..., tuple[Ran, bytes]]) -> None:
    _, once = update(b"## One?\n\n```python\nprint(1)\n```\n\n```output\n```\n")
    ran, twice = update(once)
    assert (ran.status, twice) == (0, once)
    assert "rewritten" not in ran.err


OUTPUTS = st.text(st.sampled_from("ab `~>-#\n\t*1.{|\\é")).map(
    lambda text: "\n".join(line.rstrip() for line in text.split("\n")).rstrip()
)
CONTAINERS = st.lists(st.sampled_from(["> ", "- ", "1. ", "  ", "- > "]), max_size=3).map("".join)


@given(OUTPUTS, OUTPUTS, CONTAINERS, st.sampled_from(["\n", "\r\n", "\r"]))
@settings(deadline=None, max_examples=300)
def test_what_was_printed_is_what_the_block_says_afterwards_and_the_rest_stays(
    old: str, new: str, container: str, end: str
) -> None:
    def source(output: str, marker: str) -> str:
        margin = "".join(" " if char != ">" else char for char in container)
        lines = [f"{marker}output", *(output.split("\n") if output else []), marker]
        shown = [container + lines[0], *((margin + line).rstrip() for line in lines[1:])]
        return end.join(["before", "", "```python", "```", "", *shown, "", "after", ""])

    before = source(old, "`" * 20)
    text = Text(before.replace("\r\n", "\n").replace("\r", "\n"), "a.md")
    note = Note(Location("a.md", 1), Kind.BASIC, deck="D", key="k", answer=text)
    code, _ = find_code(note)
    output = code.blocks[0].output
    if output is None or output.text.markdown != old:
        event("not this block")
        return  # deep enough to be indented code, or a tab that is partly in the margin
    after = rewritten(before.encode(), Rewrite(output, new))
    assert after == source(new, "`" * 20).encode()
