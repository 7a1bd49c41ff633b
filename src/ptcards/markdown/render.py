"""Renders Markdown to HTML as GitHub does.

The scanners in this package interpret the text, and Python-Markdown writes the HTML. `source` reports what
would render differently from GitHub; this module only reports problems with colouring code.

Class names in fields must never change. Those set here are GitHub's: `contains-task-list`, `task-list-item`,
`markdown-alert`, `markdown-alert-note` (and so on), `markdown-alert-title`, `footnotes`, `footnote-ref` and
`footnote-backref`. AnkiMobile's `tappable` on `<summary>` is another. `code.py` lists the classes for code.
"""

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from markdown.serializers import to_html_string
from markdown.util import AMP_SUBSTITUTE, BLOCK_LEVEL_ELEMENTS, HTML_PLACEHOLDER

from ptcards.diagnostics import Diagnostic
from ptcards.markdown import tree
from ptcards.markdown.blocks import scan
from ptcards.markdown.code import code_html, is_math, math_html
from ptcards.markdown.escaping import begin_deletion, clean, end_deletion, finish, literal
from ptcards.markdown.fences import alt_of, drawing_of, html_of, is_verbatim, read_info
from ptcards.markdown.render_inlines import Cloze, ItemList, Rendering, append_text, fill
from ptcards.markdown.tree import (
    Block,
    BlockKind,
    Paragraph,
    cell_paragraph,
    footnotes,
    paragraph_of,
    split_row,
    targets,
)
from ptcards.notes import Line, Macro, Text
from ptcards.notes.rendered import shown_from


class _Builder:
    def __init__(self, rendering: Rendering) -> None:
        self.rendering = rendering

    def children(
        self, parent: Element, blocks: Sequence[Block], *, tight: bool = False, top: bool = False
    ) -> None:
        """Append blocks to an element; paragraphs in a tight list get no `<p>`."""
        for block in blocks:
            if block.kind in tree.DEFINITIONS:
                continue
            if parent.text or len(parent):
                append_text(parent, "\n")
            if tight and block.kind is tree.PARAGRAPH:
                fill(parent, paragraph_of(block.lines), self.rendering)
            else:
                self.block(parent, block, top=top)

    def block(self, parent: Element, block: Block, *, top: bool) -> None:
        """Append one block."""
        match block.kind:
            case BlockKind.PARAGRAPH | BlockKind.HEADING:
                tag = "p" if block.kind is tree.PARAGRAPH else f"h{block.level}"
                fill(SubElement(parent, tag), paragraph_of(block.lines), self.rendering)
            case BlockKind.RULE:
                SubElement(parent, "hr")
            case BlockKind.FENCE if self.rendering.passes_on and is_verbatim(block):
                append_text(parent, self.rendering.pass_on(clean(html_of(block))))
            case BlockKind.CODE | BlockKind.FENCE:
                self.code(parent, block)
            case BlockKind.HTML:
                html = self.rendering.raw(clean(block.text))
                append_text(parent, self.rendering.store(html) if html else "")
            case BlockKind.TABLE:
                self.table(SubElement(parent, "table"), block)
            case BlockKind.LIST:
                self.list(parent, block, top=top)
            case BlockKind.QUOTE:
                self.quote(parent, block, top=top)
            case BlockKind.DOCUMENT | BlockKind.ITEM | BlockKind.FOOTNOTE | BlockKind.DEFINITION:
                pass  # rendered elsewhere: with their container, at the end, or where they are used

    def code(self, parent: Element, block: Block) -> None:
        """Append a formula, the drawing of a diagram, or code."""
        address = drawing_of(block)
        if address not in self.rendering.names:
            html = math_html(block, self.rendering) if is_math(block) else code_html(block, self.rendering)
            append_text(parent, self.rendering.store(html))
            return
        title, paragraph = literal(read_info(block.info).title), SubElement(parent, "p")
        for picture in self.rendering.pictures(address, literal(alt_of(block)), title):
            SubElement(paragraph, "img", picture)

    def list(self, parent: Element, block: Block, *, top: bool) -> None:
        """Append a list; the first one outside other blocks may have items that are deletions."""
        if top and self.rendering.items:
            self.items(parent, block, self.rendering.items)
            self.rendering.items = None
            return
        tag = SubElement(parent, "ol" if block.ordered else "ul")
        if block.ordered and block.number != 1:
            tag.set("start", str(block.number))
        if any(item.task is not None for item in block.children):
            tag.set("class", "contains-task-list")
        for item in block.children:
            append_text(tag, "\n")
            element = SubElement(tag, "li")
            if item.task is not None:
                element.set("class", "task-list-item")
                box = SubElement(element, "input", type="checkbox", disabled="disabled")
                box.tail = " "
                if item.task:
                    box.set("checked", "checked")
            self.children(element, item.children, tight=block.tight)
        append_text(tag, "\n")

    def items(self, parent: Element, block: Block, look: ItemList) -> None:
        """Append a list whose items are deletions.

        They are siblings, so that CSS without `:has()` can hide those after the one that is asked. Where the
        first items shall be hidden too, an empty deletion with the same number is before the first one shown:
        what follows it is shown.
        """
        names = [look.name, "numbered" if block.ordered else "", "near" if look.before else ""]
        listed = SubElement(parent, "div", {"class": " ".join(filter(None, names))})
        if block.ordered and block.number != 1:
            listed.set("style", f"counter-reset:item {block.number - 1}")
        for number, item in enumerate(block.children, 1):
            append_text(listed, "\n")
            for later in shown_from(number - 1, look.before, len(block.children)):
                append_text(listed, begin_deletion(later + 1) + end_deletion())
            holder = Element("div")
            self.children(holder, item.children, tight=block.tight)
            append_text(listed, begin_deletion(number) + (holder.text or ""))
            listed.extend(holder)
            append_text(listed, end_deletion())
            SubElement(listed, "br")
        append_text(listed, "\n")

    def quote(self, parent: Element, block: Block, *, top: bool) -> None:
        """Append a quote or an alert; GitHub only allows alerts outside other blocks."""
        name = block.alert.lower()
        is_alert = top and name.upper() in tree.ALERTS
        if not is_alert or (len(block.children) == 1 and len(block.children[0].lines) == 1):
            self.children(SubElement(parent, "blockquote"), block.children)
            return
        first = block.children[0]
        alert = SubElement(parent, "div", {"class": f"markdown-alert markdown-alert-{name}"})
        SubElement(alert, "p", {"class": "markdown-alert-title"}).text = name.capitalize()
        if len(first.lines) > 1:
            append_text(alert, "\n")
            fill(SubElement(alert, "p"), paragraph_of(first.lines[1:]), self.rendering)
        self.children(alert, block.children[1:])

    def table(self, table: Element, block: Block) -> None:
        header, _, *rows = block.lines
        self.row(SubElement(SubElement(table, "thead"), "tr"), "th", header, block.alignments)
        body = SubElement(table, "tbody") if rows else table
        for row in rows:
            self.row(SubElement(body, "tr"), "td", row, block.alignments)

    def row(self, element: Element, tag: str, row: Line, alignments: Sequence[str]) -> None:
        cells: list[Paragraph] = [cell_paragraph(cell) for cell in split_row(row)]
        cells += [paragraph_of([])] * (len(alignments) - len(cells))
        for cell, alignment in zip(cells, alignments, strict=False):
            style = {"style": f"text-align:{alignment}"} if alignment else {}
            fill(SubElement(element, tag, style), cell, self.rendering)

    def footnotes(self, root: Element) -> None:
        """Append the footnotes that have references, even if those are only in other footnotes."""
        rendering = self.rendering
        if not rendering.cited:
            return
        append_text(root, "\n")
        listed = SubElement(SubElement(root, "section", {"class": "footnotes"}), "ol")
        waiting = list(rendering.cited)
        for label in waiting:
            item = SubElement(listed, "li", id=rendering.element_id("fn", rendering.cited[label].number))
            self.children(item, rendering.footnotes[label].children)
            waiting += list(rendering.cited)[len(waiting) :]
        for item, citation in zip(listed, rendering.cited.values(), strict=True):
            last = item[-1] if len(item) and item[-1].tag == "p" and not item[-1].tail else item
            for count in range(1, citation.count + 1):
                append_text(last, " ")
                back = f"#{rendering.element_id('fnref', citation.number, count)}"
                SubElement(last, "a", {"class": "footnote-backref", "href": back}).text = "↩"


_NUMBERED = HTML_PLACEHOLDER % "([0-9]+)"
_PLACEHOLDER = re.compile(f"<p>{_NUMBERED}</p>|{_NUMBERED}")
_BLOCK_TAG = re.compile("</?([^ >]+)")
_BLOCKS = frozenset(BLOCK_LEVEL_ELEMENTS)


def render(
    text: Text,
    *,
    names: Mapping[str, str],
    prefix: str,
    cloze: Cloze = Cloze.NONE,
    passes_on: bool = False,
    plain_code: bool = False,
    breaks: bool = False,
    short_links: bool = False,
    macros: Sequence[Macro] = (),
    items: ItemList | None = None,
) -> tuple[str, list[Diagnostic]]:
    """Return the HTML of a text, and diagnostics.

    `names` maps addresses as written to file names in Anki; a picture without a name becomes its text.
    `prefix` (letters, digits and `-`) makes the ids of footnotes unique on a page with many fields. With
    `passes_on`, HTML fences are passed on and sounds use Anki's syntax, as in fields written in Anki. With
    `plain_code`, code has no classes, for cards without our style sheet. With `breaks`, phones may break long
    names in code between its words, but not short brackets. With `short_links`, long addresses are shown
    shortened. `macros` are expanded in formulas. With `items`, the items of the first list are deletions.

    Raises:
        DeadlineError: a surrounding `deadline` is exceeded.

    """
    document = scan(text.markdown)
    defines = "]:" in text.markdown
    known = (targets(document), footnotes(document)) if defines else ({}, {})
    rendering = Rendering(text, names, prefix, cloze, *known)
    rendering.passes_on, rendering.plain_code = passes_on, plain_code
    rendering.breaks, rendering.short_links = breaks, short_links
    rendering.macros = {macro.name: macro for macro in macros}
    rendering.items = items
    return _convert(rendering, document), rendering.diagnostics


def render_inline(
    text: Text,
    *,
    names: Mapping[str, str],
    cloze: Cloze = Cloze.NONE,
    passes_on: bool = False,
    breaks: bool = False,
    macros: Sequence[Macro] = (),
) -> tuple[str, list[Diagnostic]]:
    """Return the HTML of a heading, without a `<p>` around it, and diagnostics.

    The heading is the first line of the text, and the definitions that it uses are below.
    """
    line, _, below = text.markdown.partition("\n")
    paragraph = Block(BlockKind.PARAGRAPH, 0, 1, lines=(Line(line, 0),))
    rendering = Rendering(text, names, "", cloze, targets(scan(below)) if below else {})
    rendering.passes_on, rendering.breaks = passes_on, breaks
    rendering.macros = {macro.name: macro for macro in macros}
    html = _convert(rendering, Block(BlockKind.DOCUMENT, 0, 1, children=(paragraph,)))
    return html.removeprefix("<p>").removesuffix("</p>"), rendering.diagnostics


def _convert(rendering: Rendering, document: Block) -> str:
    if not rendering.text.markdown.strip():
        return ""
    root = Element("div")
    builder = _Builder(rendering)
    builder.children(root, document.children, top=True)
    builder.footnotes(root)
    html = to_html_string(root).removeprefix("<div>").removesuffix("</div>").strip()
    if rendering.stored:
        # In one pass, without searching what was stored: ours never contains placeholders.
        html = _PLACEHOLDER.sub(lambda found: _restored(found, rendering.stored), html)
    return rendering.with_passed_on(finish(html.replace(AMP_SUBSTITUTE, "&")).strip())


def _restored(found: re.Match[str], stored: Sequence[str]) -> str:
    """Return stored HTML in place of its placeholder, in a `<p>` if it may be in one."""
    html = stored[int(found[1] or found[2])]
    tag = _BLOCK_TAG.match(html)
    return html if found[2] or (tag and tag[1].lower().rstrip("/") in _BLOCKS) else f"<p>{html}</p>"
