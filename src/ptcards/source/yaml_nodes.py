"""Reads YAML of other programs as nodes, which know their places, and in which an alias costs nothing."""

import re

import yaml

from ptcards.files.foreign_json import LargeDocumentError
from ptcards.files.limits import check_yaml

YamlNode = yaml.Node
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def read_yaml(text: str) -> YamlNode | None:
    """Return the node of a document, or `None` if it is empty; raises ValueError if it is not YAML."""
    try:
        check_yaml(text)
        node: YamlNode | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, LargeDocumentError, RecursionError) as failure:
        message = f"not YAML: {failure}"
        raise ValueError(message) from failure
    return node


def keys_of(node: YamlNode | None) -> dict[str, YamlNode]:
    """Return the values of a mapping by their keys, none for anything else."""
    return {line_of(key): value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def items_of(node: YamlNode | None) -> list[YamlNode]:
    """Return the entries of a list, none for anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def line_of(node: YamlNode | None) -> str:
    """Return a text on one line without control characters, and nothing for what is not a text."""
    return _CONTROL.sub("", " ".join(node.value.split())) if isinstance(node, yaml.ScalarNode) else ""
