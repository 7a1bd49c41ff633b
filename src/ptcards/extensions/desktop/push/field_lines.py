"""How a field in Anki differs from another version of it, in lines for a report."""

from ptcards.diagnostics.layout import Terminal, visible
from ptcards.diff.words import ChangedPart, part_lines, word_diff
from ptcards.extensions.desktop.merge.html_tree import Element, parse_html
from ptcards.extensions.desktop.merge.html_tree import visible as visible_text


def field_lines(name: str, before: str, after: str, terminal: Terminal) -> list[str]:
    """Return how the text of a field changes; both texts are HTML, and either may come from Anki."""
    old, new = (_text(html) for html in (before, after))
    said = word_diff(old, new) if old != new else "the same text, formatted differently"
    return part_lines(ChangedPart(name, said), terminal)


def _text(html: str) -> str:
    """Return the visible text of a field, with the names of its pictures.

    Text from Anki may contain control characters.
    """
    tree = parse_html(html)
    for element in (tree, *tree.inside()):
        element.children = [
            f"[picture {each.attributes.get('src', '')}]"
            if isinstance(each, Element) and each.tag == "img"
            else each
            for each in element.children
        ]
    lines = visible_text(tree).split("\n")
    return "\n".join(line if line.isprintable() else visible(line) for line in lines)
