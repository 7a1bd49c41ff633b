"""Converts blocks of HTML to Markdown."""

import re
from collections.abc import Sequence

from ptcards.importing.html import BLOCKS, Element, Node
from ptcards.importing.inlines import BREAK, PLAIN, InlineWriter, backticks


class BlockWriter(InlineWriter):
    """Writes a tree as Markdown."""

    def blocks(self, element: Element) -> list[str]:
        """Return the Markdown blocks for the content of an element."""
        found: list[str] = []
        line: list[Node] = []
        for each in element.children:
            if isinstance(each, str) or (each.tag not in BLOCKS and not each.has_blocks):
                line.append(each)
                continue
            found += self.paragraphs(line)
            line = []
            made = self.block(each)
            if made and found and each.tag in ("ul", "ol") and found[-1][:1] in "-1" and _is_list(found[-1]):
                found.append("<!-- -->")  # This separates two adjacent lists.
            found += made
        return found + self.paragraphs(line)

    def block(self, element: Element) -> list[str]:
        """Return the Markdown blocks for an element."""
        match element.tag:
            case "ul" | "ol":
                return self.list(element)
            case "pre":
                return [self.code(element)]
            case "hr":
                self.drop_look(element)
                return ["---"]
            case "blockquote":
                self.drop_look(element)
                inner = "\n\n".join(self.blocks(element))
                return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))]
            case "table":
                return [self.table(element)]
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self.drop_look(element)
                text = " ".join(self.inline(element.children).split())
                return [f"{'#' * max(4, int(element.tag[1]))} {text}"] if text else []
            case _:
                pass
        if "snippet" in element.classes and [each.tag for each in element.elements] == ["figcaption", "pre"]:
            return [self.snippet(element)]
        if (
            "markdown-alert" in element.classes
            and element.elements
            and element.children[0] is element.elements[0]
        ):
            return [self.alert(element)]
        self.drop_look(element)
        if element.tag not in PLAIN:
            self.give_up()
        return self.blocks(element)

    def paragraphs(self, line: Sequence[Node]) -> list[str]:
        """Return the paragraphs of running text; two line breaks separate them, as in Anki's editor."""
        text = self.inline(line)
        parts = re.split(r"(?:\\\n[ \t]*){2,}", text)
        cleaned = (re.sub(r"^(?:\\\n|\s)+|(?<!\s)(?>(?:\\\n|\s)+)$", "", part) for part in parts)
        return [self.line_starts(part) for part in cleaned if part]

    def code(self, element: Element) -> str:
        """Return a code block as a fence."""
        text = element.text().strip("\n")
        lines = [each for each in element.inside() if "ln" in each.classes]
        names = [
            *element.classes,
            *(name for each in element.inside() for name in each.classes if each.tag == "code"),
        ]
        language = element.attributes.get("data-lang") or next(
            (name.partition("-")[2] for name in names if name.startswith(("language-", "lang-"))), ""
        )
        is_ours = "data-lang" in element.attributes or element.classes in (["code"], ["output"])
        if not is_ours and any(each.tag not in ("code", "br") for each in element.inside()):
            self.lost = True
        if not is_ours:
            self.drop_look(element, "class")
        language = "output" if element.classes == ["output"] else language
        ticks = backticks(text, 3)
        marked = " ".join(str(n) for n, each in enumerate(lines, 1) if "hl" in each.classes)
        info = f'{language or "text"} hl_lines="{marked}"' if marked else language
        return f"{ticks}{info}\n{text}\n{ticks}"

    def snippet(self, figure: Element) -> str:
        """Return a code block with its title."""
        caption, code = figure.elements[0], figure.elements[-1]
        fence, rest = self.code(code).split("\n", 1)
        title = caption.text().replace('"', "'")
        return f'{fence if fence.strip("`") else f"{fence}text"} title="{title}"\n{rest}'

    def alert(self, element: Element) -> str:
        """Return one of GitHub's alerts."""
        name = element.classes[-1].rpartition("-")[2].upper()
        inner = "\n\n".join(self.blocks(Element("div", {}, [*element.children[1:]])))
        return "\n".join(f"> {line}".rstrip() for line in [f"[!{name}]", *inner.split("\n")])

    def list(self, element: Element) -> list[str]:
        """Return a list; items with paragraphs are separated by blank lines."""
        self.drop_look(element)
        items: list[str] = []
        is_loose = any(each.tag == "p" for item in element.elements for each in item.elements)
        start = element.attributes.get("start", "1")
        number = int(start) if start.isdecimal() and len(start) < 10 else 1
        for each in element.children:
            if isinstance(each, str):
                if each.strip():
                    self.give_up()
                    items.append(self.item("- ", [self.text(each).strip()], is_loose=is_loose))
                continue
            self.drop_look(each)
            if each.tag in ("ul", "ol") and items:  # some editors put a nested list here
                inner = self.item("", self.list(each), is_loose=is_loose)
                width = len(re.match(r"(?:- |\d+\. )?", items[-1])[0])  # type: ignore[index]
                items[-1] += "\n" + _indented(inner, width, first=True)
                continue
            mark = f"{number + len(items)}. " if element.tag == "ol" else "- "
            box = next((one for one in each.elements if one.tag == "input"), None)
            if box is not None:
                mark += "[x] " if "checked" in box.attributes else "[ ] "
            items.append(self.item(mark, self.blocks(each), is_loose=is_loose))
        return ["\n\n".join(items) if is_loose else "\n".join(items)] if items else []

    def item(self, mark: str, blocks: Sequence[str], *, is_loose: bool) -> str:
        """Return an item of a list, with its blocks indented below its marker."""
        width = len(mark.removesuffix("[ ] ").removesuffix("[x] "))
        is_apart = is_loose or not all(_is_list(block) for block in blocks[1:])
        body = ("\n\n" if is_apart else "\n").join(blocks)
        return f"{mark}{_indented(body, width)}".rstrip()

    def table(self, table: Element) -> str:
        """Return a table; raises ForeignError if cells are merged or contain blocks."""
        rows = [row for row in table.inside() if row.tag == "tr"]
        cells = [[cell for cell in row.elements if cell.tag in ("td", "th")] for row in rows]
        is_plain = not any(
            cell.has_blocks or {"colspan", "rowspan"} & cell.attributes.keys()
            for row in cells
            for cell in row
        )
        if not rows or not is_plain or len({len(row) for row in cells}) > 1 or not cells[0]:
            self.give_up()
            return "\n\n".join(part for row in cells for cell in row for part in self.blocks(cell))
        for each in (table, *rows):
            self.drop_look(each)
        lines = [" | ".join(self.cell(cell) for cell in row) for row in cells]
        lines.insert(1, " | ".join(_rule(cell) for cell in cells[0]))
        return "\n".join(f"| {line} |" for line in lines)

    def cell(self, cell: Element) -> str:
        """Return a cell on one line."""
        is_aligned = _ALIGNED.fullmatch(cell.attributes.get("style", "")) is not None
        self.drop_look(cell, "align", *(["style"] if is_aligned else []))
        text = self.inline(cell.children).replace(BREAK, "<br>")
        return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


_ALIGNED = re.compile(r"\s*+(?:text-align: ?\w+;?\s*+)?")


def _is_list(block: str) -> bool:
    return re.match(r"- |-$|\d+\. ", block) is not None


def _indented(text: str, width: int, *, first: bool = False) -> str:
    lines = text.split("\n")
    shown = [
        f"{' ' * width}{line}" if line and (number or first) else line for number, line in enumerate(lines)
    ]
    return "\n".join(shown)


def _rule(cell: Element) -> str:
    found = re.search(r"text-align: ?(\w+)", cell.attributes.get("style", ""))
    side = found[1] if found else cell.attributes.get("align", "")
    return {"left": ":--", "right": "--:", "center": ":-:"}.get(side, "---")
