"""Reads front matter: the YAML above the text of a source."""

import re
from collections.abc import Callable, Iterator
from functools import partial

import yaml

from ptcards.diagnostics import Diagnostic, Location, Trait, error, warning
from ptcards.files.foreign_json import LargeDocumentError
from ptcards.files.limits import check_yaml
from ptcards.source.attributes import AttributeReader, Attributes
from ptcards.source.valid_names import FRONT_MATTER_KEYS

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_front_matter(
    path: str, lines: list[str], *, typed: bool = False, foreign: bool = False
) -> tuple[Attributes, int, list[Diagnostic]]:
    """Return the attributes in front matter, its number of lines including both `---`, and diagnostics.

    The front matter begins on the first line. Other programs use the key `type` for their own purposes, so it
    only causes a warning if the collection has no note types of its own (`typed`). In `foreign` notes, spaces
    may separate tags.
    """
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        message = "the front matter that starts here is not closed"
        fix = "close it with the line `---`; for a horizontal rule, put a blank line above"
        return Attributes(), len(lines), [error(Location(path, 1), "unclosed-front-matter", message, fix, 3)]
    text = "\n".join(["", *lines[1:end]])

    # YAML's own line numbers also count Unicode line separators, which do not end a line here.
    locate = partial(Location.within, path, text)
    try:
        check_yaml(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except LargeDocumentError as failure:
        message, fix = f"the front matter {failure}", "move everything that is not a setting below it"
        return Attributes(), end + 1, [_broken(Location(path, 1), message, fix, 3)]
    except (yaml.YAMLError, RecursionError) as failure:
        return Attributes(), end + 1, [_not_yaml(failure, locate)]
    keys = (*FRONT_MATTER_KEYS, "type") if typed else FRONT_MATTER_KEYS
    reader = AttributeReader(path, keys, "front matter", shared=True, foreign=foreign)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _read_yaml_pair(reader, locate, key, value)
            if (
                not typed
                and isinstance(value, yaml.ScalarNode)
                and key.value == "type"
                and value.value.strip()
            ):
                reader.diagnostics.append(_ignored_type(value.value, locate(value.start_mark.index)))
    elif node is not None:
        message = "the front matter is not a list of keys and values"
        fix = "write lines such as `difficulty: medium`"
        reader.diagnostics.append(_broken(locate(node.start_mark.index), message, fix))
    return reader.attributes(), end + 1, reader.diagnostics


def _broken(place: Location, message: str, fix: str, length: int = 1) -> Diagnostic:
    return error(place, "broken-front-matter", message, fix, length, traits=Trait.OWN_FORMAT)


def _ignored_type(name: str, place: Location) -> Diagnostic:
    """Return a warning about a `type` in a collection without note types of its own."""
    name = name.strip().partition("\n")[0]
    message = f"`type: {name}` is ignored: this collection has no note types of its own"
    fix = f"write `notetypes/{name}/notetype.json`, or ignore this rule if `type` is for another program"
    return warning(place, "unknown-note-type", message, fix, len(name))


_QUOTE = "put the value in quotes"
_YAML = (
    ("expected ',' or ']'", "this list is not closed", "add `]` after its last entry", True),
    ("expected ',' or '}'", "this table is not closed", "add `}` after its last entry", True),
    ("unexpected end of stream", "this text has no closing quote", "add the quote at its end", True),
    ("mapping values", "a second `:` in one value", f"{_QUOTE}, or begin a key at the left edge", False),
    (r"character '\t'", "a tab begins this line", "use spaces, or begin at the left edge", False),
    ("cannot start any token", "a value cannot begin with this character", _QUOTE, False),
    ("undefined alias", "a value cannot begin with `*`", _QUOTE, False),
    ("expected ':'", "there is a line without `:`", "write `key: value`", True),
    ("unknown escape", "this backslash begins no escape", "use single quotes", False),
)
"""What YAML's parser says, what we say, what to do, and whether the place is where the value begins."""


def _not_yaml(failure: Exception, locate: Callable[[int], Location]) -> Diagnostic:
    fix = "write `key: value` lines; put values with `:`, `#` or quotes in quotes"
    offset = 1  # the line below `---`
    match failure:
        case yaml.reader.ReaderError():
            offset, what = failure.position, f"U+{failure.character:04X} is not allowed here"
            fix = "delete it"
        case yaml.MarkedYAMLError():
            mark = failure.problem_mark or failure.context_mark
            offset, what = mark.index if mark else offset, failure.problem or "a syntax error"
            for said, message, advice, begins in _YAML:
                if said in what:
                    start = failure.context_mark.index if begins and failure.context_mark else offset
                    return _broken(locate(start), message, advice)
        case _:
            what = "nested too deeply"
    return _broken(locate(offset), f"not YAML: {what}", fix)


def _halves(*nodes: yaml.Node) -> Iterator[tuple[yaml.Node, int]]:
    """Yield each node with a lone surrogate, which an escape in quotes can produce, and its code point."""
    for node in nodes:
        if isinstance(node, yaml.ScalarNode) and (found := _SURROGATE.search(node.value)):
            yield node, ord(found[0])
        elif isinstance(node, yaml.SequenceNode):
            yield from _halves(*(each for each in node.value if isinstance(each, yaml.ScalarNode)))


def _read_yaml_pair(
    reader: AttributeReader, locate: Callable[[int], Location], key: yaml.Node, value: yaml.Node
) -> None:
    key_place, place = locate(key.start_mark.index), locate(value.start_mark.index)
    if found := next(_halves(key, value), None):
        node, code = found
        message, fix = f"U+{code:04X} is not a complete character", "write the character itself, or remove it"
        reader.diagnostics.append(_broken(locate(node.start_mark.index), message, fix))
    elif not isinstance(key, yaml.ScalarNode):
        return  # such as `{{title}}` in templates
    elif isinstance(value, yaml.ScalarNode):
        reader.set(key.value, value.value, key_place, place, quoted=value.style is not None)
    elif (
        key.value in ("tags", "tag")
        and isinstance(value, yaml.SequenceNode)
        and all(isinstance(v, yaml.ScalarNode) for v in value.value)
    ):
        reader.set(key.value, ",".join(v.value for v in value.value), key_place, place)
    elif key.value not in reader.keys:
        reader.set(key.value, "", key_place, place)
    else:
        wanted = "a list or comma-separated text" if key.value == "tags" else "text"
        reader.refuse(place, "wrong-value", f"`{key.value}` must be {wanted}", f"write {wanted}")
