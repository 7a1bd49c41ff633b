"""Which lines belong to which block, and their locations."""

from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import NESTING_LIMIT, Block, BlockKind
from ptcards.notes import Line


def drawn(block: Block) -> str:
    """Return a tree as `kind[start:end](children or lines)`."""
    inner = [drawn(child) for child in block.children] or [line.text for line in block.lines]
    return f"{block.kind}[{block.start}:{block.end}]({', '.join(inner)})"


def only(markdown: str) -> Block:
    (block,) = scan(markdown).children
    return block


def test_an_empty_text_has_no_blocks() -> None:
    assert scan("") == Block(BlockKind.DOCUMENT, 0, 1)
    assert scan("\n\n").children == ()


def test_lines_keep_their_places_through_containers() -> None:
    quote = only("> - one\n>   two\n>\n>   ```py\n>   x\n>   ```")
    item = quote.children[0].children[0]
    assert [(child.kind, child.start, child.end, child.column) for child in item.children] == [
        (BlockKind.PARAGRAPH, 0, 2, 5),
        (BlockKind.FENCE, 3, 6, 5),
    ]
    assert item.children[0].lines == (Line("one", 0, 5), Line("two", 1, 5))
    assert item.children[1].lines == (Line("x", 4, 5),)


def test_blank_lines_at_the_end_belong_to_no_block_but_code_without_an_end() -> None:
    assert drawn(scan("a\n\n\n")) == "document[0:1](paragraph[0:1](a))"
    assert drawn(scan("- a\n\n- b\n\n")) == (
        "document[0:3](list[0:3](item[0:1](paragraph[0:1](a)), item[2:3](paragraph[2:3](b))))"
    )
    assert drawn(scan("    a\n\n    b\n\n")) == "document[0:3](code[0:3](a, , b))"
    assert drawn(scan("```\na\n\n")) == "document[0:3](fence[0:3](a, ))"


def test_a_fence_knows_its_marks_its_words_and_whether_it_ends() -> None:
    fence = only('~~~~ py title="a\\*b &amp; c"\n~~~\nx\n~~~~~')
    assert (fence.marker, fence.info, fence.closed) == ("~~~~", 'py title="a*b & c"', True)
    assert fence.lines == (Line("~~~", 1), Line("x", 2))
    assert not only("```\nx").closed


def test_a_fence_in_a_list_ends_where_a_line_stands_left_of_the_item() -> None:
    assert drawn(scan("- a\n  ```\n  x\ny\n")) == (
        "document[0:4](list[0:3](item[0:3](paragraph[0:1](a), fence[1:3](x))), paragraph[3:4](y))"
    )


def test_lines_that_are_only_indented_belong_to_their_item() -> None:
    written = "1. a\n\n   b\n   c\n\n   ```\n   x\n\n     y\n   ```\n\n   d\n  \n   e\nf\n\n-\n\n  g"
    numbered, bullets, last = scan(written).children
    (item,) = numbered.children
    assert [(child.kind, child.start, child.end, child.lines) for child in item.children] == [
        (BlockKind.PARAGRAPH, 0, 1, (Line("a", 0, 4),)),
        (BlockKind.PARAGRAPH, 2, 4, (Line("b", 2, 4), Line("c", 3, 4))),
        (BlockKind.FENCE, 5, 10, (Line("x", 6, 4), Line("", 7, 1), Line("  y", 8, 4))),
        (BlockKind.PARAGRAPH, 11, 12, (Line("d", 11, 4),)),
        (BlockKind.PARAGRAPH, 13, 15, (Line("e", 13, 4), Line("f", 14, 1))),
    ]
    assert (numbered.end, drawn(bullets), last.lines) == (
        15,
        "list[16:17](item[16:17]())",
        (Line("g", 18, 3),),
    )


def test_a_heading_is_its_text_without_marks() -> None:
    heading = only("##  What is `#`? ##  ")
    assert (heading.level, heading.setext, heading.lines) == (2, False, (Line("What is `#`?", 0, 5),))
    assert only("  ## x").column == 3
    assert only("#x").kind is BlockKind.PARAGRAPH


def test_underlined_text_is_a_heading() -> None:
    heading = only("one\n two\n---")
    assert (heading.level, heading.setext, heading.end) == (2, True, 3)
    assert heading.lines == (Line("one", 0), Line("two", 1, 2))


def test_comments_are_html_of_the_second_kind() -> None:
    assert [
        (block.kind, block.html, block.start, block.end) for block in scan("<!-- a\n\nb -->\nc").children
    ] == [
        (BlockKind.HTML, 2, 0, 3),
        (BlockKind.PARAGRAPH, 0, 3, 4),
    ]


def test_html_of_a_block_tag_ends_at_a_blank_line_and_that_of_pre_at_its_end_tag() -> None:
    assert drawn(scan("<div>\na\n\nb")) == "document[0:4](html[0:2](<div>, a), paragraph[3:4](b))"
    assert (
        drawn(scan("<pre>\n\na</pre>\nb")) == "document[0:4](html[0:3](<pre>, , a</pre>), paragraph[3:4](b))"
    )


def test_a_tag_alone_on_its_line_begins_a_block_but_interrupts_no_paragraph() -> None:
    assert drawn(scan("a\n\n<kbd>\nb")) == "document[0:4](paragraph[0:1](a), html[2:4](<kbd>, b))"
    assert drawn(scan("a\n<kbd>\nb")) == "document[0:3](paragraph[0:3](a, <kbd>, b))"
    assert drawn(scan("a\n<div>\nb")) == "document[0:3](paragraph[0:1](a), html[1:3](<div>, b))"


def test_definitions_come_before_their_paragraph_and_keep_all_their_lines() -> None:
    first, second, text = scan('[A  b]:\n</u v>\n"t"\n[c]: d\ntext').children
    assert (first.kind, first.label, first.destination, first.title) == (
        BlockKind.DEFINITION,
        "a b",
        "/u v",
        "t",
    )
    assert (first.start, first.end, len(first.lines)) == (0, 3, 3)
    assert (second.label, second.destination, second.start, second.end) == ("c", "d", 3, 4)
    assert (text.kind, text.start, text.lines) == (BlockKind.PARAGRAPH, 4, (Line("text", 4),))


def test_footnotes_hold_what_is_indented_by_four() -> None:
    note, text = scan("[^A]: one\n\n    two\n\nthree").children
    assert (note.kind, note.label, note.end) == (BlockKind.FOOTNOTE, "a", 3)
    assert [child.lines for child in note.children] == [(Line("one", 0, 7),), (Line("two", 2, 5),)]
    assert text.kind is BlockKind.PARAGRAPH


def test_task_items_lose_their_box() -> None:
    done, open_, plain = only("- [x] a\n- [ ] b\n- [x]c").children
    assert [item.task for item in (done, open_, plain)] == [True, False, None]
    assert done.children[0].lines == (Line("a", 0, 7),)


def test_no_block_begins_behind_a_box() -> None:
    """As on GitHub, a heading or a nested list must begin on the next line."""
    items = only("- [ ] # a\n- [x] - b\n- [x] > c\n- [ ]     d").children
    assert [[(child.kind, child.lines[0].text) for child in item.children] for item in items] == [
        [(BlockKind.PARAGRAPH, text)] for text in ("# a", "- b", "> c", "d")
    ]


def test_lists_know_their_marks_numbers_and_looseness() -> None:
    first, second = scan("3) a\n4) b\n- c\n\n- d").children
    assert (first.ordered, first.number, first.marker, first.tight) == (True, 3, ")", True)
    assert (second.ordered, second.marker, second.tight) == (False, "-", False)


def test_a_table_is_all_its_rows_and_the_text_above_stays_a_paragraph() -> None:
    text, table = scan("costs\n| a | b |\n|:-|-:|\n| 1 | 2\n\nend").children[:2]
    assert (text.lines, text.end) == ((Line("costs", 0),), 1)
    assert (table.alignments, table.start, table.end) == (("left", "right"), 1, 4)
    assert [line.text for line in table.lines] == ["| a | b |", "|:-|-:|", "| 1 | 2"]


def test_a_tab_that_a_container_takes_in_part_is_spaces_for_the_rest() -> None:
    item = only("-\t\tx").children[0]
    assert item.children == (Block(BlockKind.CODE, 0, 3, 1, lines=(Line("  x", 0, 3),)),)


def test_what_is_nested_deeper_than_the_limit_is_text() -> None:
    block: Block = scan("> " * (NESTING_LIMIT + 2) + "x")
    depth = 0
    while block.children:
        (block,) = block.children
        depth += block.kind is BlockKind.QUOTE
    assert (depth, block.lines[0].text) == (NESTING_LIMIT, "> > x")
    scan("- " * 30_000)
