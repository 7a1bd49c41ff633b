"""Reads pictures with boxes of the Obsidian plugin Decks: blocks of YAML whose places are percent."""

import re
from urllib.parse import unquote

import yaml

from ptcards.extensions.dialects.obsidian_syntax import LinePart
from ptcards.files.foreign_json import LargeDocumentError
from ptcards.files.limits import check_yaml
from ptcards.markdown.tree import Block

BOXES = "decks-occlusion"
"""The language of such a block."""
_PATH = re.compile(r"\[\[([^\[\]|#]+)|\]\(([^()\s]+)")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def read_block(block: Block) -> list[LinePart] | str:
    """Return the lines of an answer of ours, picture and boxes, or why the block cannot be read."""
    text = "\n".join(line.text for line in block.lines)

    def part(node: yaml.Node, made: str) -> LinePart:
        return LinePart(made, block.lines[text.count("\n", 0, node.start_mark.index)].index, 0)

    try:
        check_yaml(text)
        said = _keys(yaml.compose(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, LargeDocumentError, RecursionError):
        return "its block is not YAML"
    image, masks = said.get("image"), said.get("masks")
    if image is None or not isinstance(masks, yaml.SequenceNode) or not masks.value:
        return "its block has no picture or no boxes"
    # Without quotes, `[[picture.png]]` is a list in a list.
    written = _text(image) or text[image.start_mark.index : image.end_mark.index]
    found = _PATH.search(written)
    path = (found[1] or unquote(found[2])) if found else written
    lines = [part(image, f"![[{path.strip()}]]"), part(image, "")]
    for number, mask in enumerate(masks.value, 1):
        keys = _keys(mask)
        place = " ".join(_percent(_text(keys.get(side))) for side in "xywh")
        lines.append(part(mask, f"- {place}: {_text(keys.get('answer')) or f'Box {number}'}"))
    return lines


def _percent(written: str) -> str:
    """Return a number with few digits; what is none is reported with the place."""
    try:
        return f"{round(float(written), 2):g}%"
    except ValueError:
        return "%"


def _keys(node: yaml.Node | None) -> dict[str, yaml.Node]:
    return {_text(key): value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def _text(node: yaml.Node | None) -> str:
    """Return a text on one line, and nothing for what is not one."""
    return _CONTROL.sub("", " ".join(node.value.split())) if isinstance(node, yaml.ScalarNode) else ""
