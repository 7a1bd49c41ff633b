"""Reads pictures with boxes of the Obsidian plugin Decks: blocks of YAML whose places are percent."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from ptcards.markdown.tree import Block
from ptcards.notes import Line
from ptcards.source.yaml_nodes import YamlNode, items_of, keys_of, line_of, read_yaml

BOXES = "decks-occlusion"
"""The language of such a block."""
_PATH = re.compile(r"\[\[([^\[\]|#]+)|\]\(([^()\s]+)")


def read_block(block: Block) -> list[Line] | str:
    """Return the lines of an answer of ours, picture and boxes, or why the block cannot be read."""
    text = "\n".join(line.text for line in block.lines)

    def part(node: YamlNode, made: str) -> Line:
        return Line(made, block.lines[text.count("\n", 0, node.start_mark.index)].index, 0)

    try:
        said = keys_of(read_yaml(text))
    except ValueError:
        return "its block is not YAML"
    image, masks = said.get("image"), items_of(said.get("masks"))
    if image is None or not masks:
        return "its block has no picture or no boxes"
    # Without quotes, `[[picture.png]]` is a list in a list.
    written = line_of(image) or text[image.start_mark.index : image.end_mark.index]
    found = _PATH.search(written)
    path = (found[1] or unquote(found[2])) if found else written
    lines = [part(image, f"![[{path.strip()}]]"), part(image, "")]
    for number, mask in enumerate(masks, 1):
        keys = keys_of(mask)
        lines.append(part(mask, f"- {_place(keys)}: {line_of(keys.get('answer')) or f'Box {number}'}"))
    return lines


def _place(keys: Mapping[str, YamlNode]) -> str:
    """Return where the plugin shows a box: in the picture, at least 1% wide and high, in whatever way drawn.

    A place that is not four numbers is reported as that of any list.
    """
    sides = []
    try:
        for first, second in ("xw", "yh"):
            start, size = (float(line_of(keys.get(name))) for name in (first, second))
            begin = min(max(min(start, start + size), 0), 100)
            sides.append((begin, min(max(abs(size), 1), 100 - begin)))
    except ValueError:
        return "%"
    return " ".join(f"{round(side, 2):g}%" for pair in zip(*sides, strict=True) for side in pair)
