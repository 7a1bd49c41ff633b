"""Reads a collection's own note types, each from its folder below `notetypes/`.

The author or `ptcards import` writes the folder. `notetype.json` names fields and templates. The sides of a
template are `<file>.front.html` and `<file>.back.html`, and `style.css` is the style sheet. Templates and
style sheets are used unchanged.
"""

import json
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.diagnostics.keys import Key, KeyProblem, is_flag, is_text, read_key, unknown_key, valid_if
from ptcards.diagnostics.suggest import did_you_mean, one_of
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.files.inputs import (
    MAX_CSS_BYTES,
    MAX_TEMPLATE_BYTES,
    MAX_TOML_BYTES,
    InputError,
    MissingError,
    TooLargeError,
    read_text,
)
from ptcards.notes import Kind
from ptcards.notes.notetypes import (
    IMPORTS_OURS,
    USUAL_EXTRAS,
    AnkiExtras,
    Field,
    NoteType,
    Part,
    Template,
    TemplateError,
    TemplateSection,
    names_in,
    parse_template,
)

FOLDER = "notetypes"
OWN_PREFIX = "x-"
"""The prefix of the key of a collection's own note type; the folder's name follows."""

MEDIA = "media"
"""The folder of the files that only style sheets and templates name."""
LOOK_FILE = re.compile(r"(?<![\w./-])_[\w.-]{1,80}\.\w{1,8}")
"""Matches the name of a file in a template or style sheet."""
_URL = re.compile(
    r"""/\*.*?(?:\*/|\Z)|\burl\(\s*+(?P<quote>["']?)(?!\#|//|[a-z][a-z0-9+.-]*:)"""
    r"""(?P<address>[^"'()\n]++)(?P=quote)\s*+\)""",
    re.DOTALL | re.IGNORECASE,
)
"""Matches a comment, or an address in a style sheet that is neither on the web nor data."""
_HALF = re.compile("[\ud800-\udfff]")
"""Matches a lone surrogate, which JSON can express but UTF-8 cannot."""
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
MOST = 200
"""The maximum number of note types in a collection, and of fields and templates in a note type."""
_LIMIT = JsonLimit(MAX_TOML_BYTES, MAX_TOML_BYTES, 20_000)
"""The limits of a `notetype.json`; the largest note type has about 3,000 values."""


def _is_id(value: object) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 64


def _is_small(value: object) -> bool:
    return type(value) is int and 0 <= value < 256


_TEXT = Key(valid_if(lambda value: is_text(value) and not _HALF.search(value)), "text")
_EXTRAS: Mapping[str, Key] = {
    "latex_header": _TEXT,
    "latex_footer": _TEXT,
    "latex_svg": Key(valid_if(is_flag), "`true` or `false`"),
    "original_stock_kind": Key(valid_if(_is_small), "a number below 256"),
}
"""The keys for what Anki stores with a note type, in the order of `AnkiExtras`."""
_KEYS = ("name", "kind", "id", "fields", "templates", *_EXTRAS)
_FIELD_KEYS = ("name", "id", "tag", "prevent_deletion")
_TEMPLATE_KEYS = ("name", "file", "id", "browser_front", "browser_back")
_KINDS = ("standard", "cloze")
_SPECIAL = ("Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "CardID", "FrontSide")
"""What templates can show in addition to fields."""
_MOST_UNKNOWN = 100
"""How many unknown fields of a template to report."""
_CLOZE_SECTION = re.compile(r"c[1-9][0-9]{0,2}")


def too_large(size: int) -> str:
    """Return what is wrong with a template of this many bytes, which is too large."""
    return f"has {size >> 10:,} KB, and a template at most {MAX_TEMPLATE_BYTES >> 10} KB"


def read_note_types(root: Path, path: str) -> tuple[tuple[NoteType, ...], tuple[str, ...], list[Diagnostic]]:
    """Return a collection's own note types, the names of those with errors, and the diagnostics.

    `path` is the root as shown in messages.
    """
    try:
        folders = sorted(each for each in (root / FOLDER).iterdir() if each.is_dir())
    except OSError:
        return (), (), []
    folders = [each for each in folders if not each.name.startswith((".", "_"))]
    note_types: list[NoteType] = []
    broken: list[str] = []
    diagnostics: list[Diagnostic] = []
    for folder in folders[:MOST]:
        reader = _NoteTypeReader(root, folder, f"{path}{FOLDER}/{folder.name}")
        note_type = reader.read()
        diagnostics += reader.diagnostics
        if note_type:
            note_types.append(note_type)
        else:
            broken.append(folder.name)
    return tuple(note_types), tuple(broken), diagnostics


def about_extras(extras: AnkiExtras) -> dict[str, object]:
    """Return the entries of `notetype.json` for what Anki stores with a note type, without defaults."""
    values = zip(_EXTRAS, extras, USUAL_EXTRAS, strict=True)
    return {key: value for key, value, usual in values if value != usual}


def unknown_note_type(name: str, note_types: Sequence[NoteType], broken: Sequence[str]) -> KeyProblem | None:
    """Return what is wrong with the name of a note type, or `None` if the collection has it."""
    known = [note_type.key.removeprefix(OWN_PREFIX) for note_type in note_types]
    if not name or name in known or name in broken:
        return None
    new = f"write `{FOLDER}/{name}/notetype.json`: see `ptcards explain broken-note-type`"
    fix = one_of(name, known) if known else new
    if name in tuple(Kind):
        fix = f"write `kind={name}` in the card comment"
    return KeyProblem("unknown-note-type", f"unknown note type `{name}`", fix)


def lost_addresses(css: str, root: Path, path: str) -> Iterator[Diagnostic]:
    """Yield an error for each address in the collection's CSS that leads to no file in a learner's Anki."""
    for found in _URL.finditer(css):
        address = (found["address"] or "").rstrip()  # empty for a comment
        name = unquote(re.split("[?#]", address)[0])
        if address and not (LOOK_FILE.fullmatch(name) and os.path.lexists(root / MEDIA / name)):
            message = f"`{address[:60]}` leads nowhere on a card"
            fix = f"put the file into `{MEDIA}/`, and write `url(_{name.rpartition('/')[2].lstrip('_')})`"
            place = Location.within(path, css, found.start("address"))
            yield error(place, "missing-media", message, fix, len(address))


class _NoteTypeReader:
    """Reads the note type in one folder, and discards it if it has errors."""

    def __init__(self, root: Path, folder: Path, path: str) -> None:
        self.root = root
        self.folder = folder
        self.path = path
        self.text = ""
        self.diagnostics: list[Diagnostic] = []

    def read(self) -> NoteType | None:
        """Return the note type, or `None` if it has errors."""
        if not _SLUG.fullmatch(self.folder.name):
            fix = "rename the folder; use only lower-case letters, digits and `-`"
            self._error(f"`{self.folder.name}` cannot be the name of a note type", fix)
            return None
        document = self._document()
        if document is None:
            return None
        self._check_keys(document, _KEYS)
        fields = tuple(self._fields(document.get("fields")))
        name, kind, identity = document.get("name"), document.get("kind", "standard"), document.get("id", 0)
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            self._error("`name` must be text", 'write `"name": "…"`, its name in Anki', "name")
        if kind not in _KINDS:
            fix = did_you_mean(str(kind), _KINDS, "use `standard` or `cloze`")
            self._error(f"unknown kind `{str(kind)[:40]}`", fix, "kind")
        if not _is_id(identity):
            self._error("`id` must be a whole number", "write Anki's id, or leave `id` out", "id")
        templates = tuple(self._templates(document.get("templates")))
        if kind == "cloze" and len(templates) > 1:
            self._error("a cloze note type can have only one template", "remove the others", "templates")
        css = self._file("style.css", "missing-template", optional=True)
        extras = self._extras(document)
        if self.diagnostics:
            return None
        key = OWN_PREFIX + self.folder.name
        note_type = NoteType(
            key,
            identity,
            str(name),
            fields,
            templates,
            css,
            is_cloze=kind == "cloze",
            is_own=True,
            is_plain=IMPORTS_OURS.search(css) is None,
            extras=extras,
        )
        self._check_templates(note_type)
        return note_type

    def _document(self) -> dict[str, Any] | None:
        file = "notetype.json"
        try:
            self.text = read_text(self.folder / file, self.root, MAX_TOML_BYTES)
            document = build_json(self.text.encode(), _LIMIT)
        except MissingError:
            self._error(
                "the folder has no `notetype.json`", "write one: see `ptcards explain broken-note-type`"
            )
        except InputError as failure:
            self._error(f"`{file}` {failure.reason}", failure.help)
        except UnicodeDecodeError:
            self._error("not UTF-8", "save the file as UTF-8")
        except json.JSONDecodeError as failure:
            place = Location(f"{self.path}/{file}", failure.lineno, failure.colno)
            message = f"not JSON: {failure.msg[:1].lower()}{failure.msg[1:]}"
            fix = "put keys and strings in double quotes, and commas between entries"
            self.diagnostics.append(error(place, "broken-note-type", message, fix))
        except LargeDocumentError as failure:
            self._error(f"`{file}` {failure}", "a note type needs only a few")
        except (ValueError, RecursionError):  # a number with too many digits
            self._error("not readable as JSON", "use shorter numbers, and nest lists less deeply")
        else:
            if isinstance(document, dict):
                return document
            self._error("not a JSON object", 'write `{"name": …, "fields": […], "templates": […]}`')
        return None

    def _place(self, *words: str) -> Location:
        """Return the location of the last of these words in quotes, each found after the previous one."""
        at = -1
        for word in words:
            found = self.text.find(json.dumps(word, ensure_ascii=False), at + 1)
            at = found if found >= 0 else at
        return Location.within(f"{self.path}/notetype.json", self.text, max(0, at))

    def _error(self, message: str, fix: str, *words: str, rule: str = "broken-note-type") -> None:
        place = self._place(*words)
        length = len(json.dumps(words[-1], ensure_ascii=False)) if words and place.column > 1 else 1
        self.diagnostics.append(error(place, rule, message, fix, length))

    def _extras(self, document: Mapping[str, Any]) -> AnkiExtras:
        values = []
        for key, usual in zip(_EXTRAS, USUAL_EXTRAS, strict=True):
            value, problem = read_key(_EXTRAS, key, document.get(key, usual))
            if problem:
                self._error(problem.message, "leave it out, or as `ptcards import` wrote it", key)
            values.append(value)
        return AnkiExtras(*values)

    def _check_keys(self, entry: dict[str, Any], known: tuple[str, ...]) -> None:
        for key in entry:
            if key not in known:
                rule, message, fix = unknown_key(key[:40], known)
                self._error(message, fix, key, rule=rule)

    def _entries(self, value: object, list_name: str, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the entries of a list of fields or templates.

        A string is an entry with only a name.
        """
        if not isinstance(value, list) or not 1 <= len(value) <= MOST:
            self._error(
                f"`{list_name}` must be a list of 1 to {MOST} entries",
                f"list the {list_name} in order",
                list_name,
            )
            return
        names: set[str] = set()
        for written in value:
            entry = {"name": written} if isinstance(written, str) else written
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(entry, dict) or not isinstance(name, str):
                self._error(f"an entry of `{list_name}` without a name", 'write `{"name": "…"}`', list_name)
                continue
            self._check_keys(entry, keys)
            if name.casefold() in names:
                self._error(f"`{name[:60]}` is in `{list_name}` twice", "rename one", list_name, name)
            names.add(name.casefold())
            if not _is_id(entry.get("id", 0)):
                self._error(
                    "`id` must be a whole number", "write Anki's id, or leave it out", list_name, name
                )
            yield entry

    def _fields(self, value: object) -> Iterator[Field]:
        for entry in self._entries(value, "fields", _FIELD_KEYS):
            name = entry["name"]
            if bad := _bad_field_name(name):
                self._error(
                    f"`{name[:60]}` cannot be the name of a field: {bad}", "rename it", "fields", name
                )
            tag, is_kept = entry.get("tag"), entry.get("prevent_deletion", False)
            if (tag is not None and not _is_small(tag)) or type(is_kept) is not bool:
                fix = "leave `tag` and `prevent_deletion` as `ptcards import` wrote them"
                self._error(f"`{name[:60]}` has a wrong `tag` or `prevent_deletion`", fix, "fields", name)
            yield Field(name, entry.get("id"), tag, is_kept)

    def _templates(self, value: object) -> Iterator[Template]:
        files: set[str] = set()
        for entry in self._entries(value, "templates", _TEMPLATE_KEYS):
            name, file = entry["name"], entry.get("file")
            if not name.strip() or not name.isprintable():
                message = f"`{name[:60]}` cannot be the name of a template"
                self._error(message, "use a name with visible characters", "templates", name)
                continue
            if not isinstance(file, str) or not _SLUG.fullmatch(file):
                fix = 'use a different lower-case name for each template, such as `"file": "card-1"`'
                self._error(f"`file` of `{name[:60]}` is not a valid file name", fix, "templates", name)
                continue
            if file in files:
                fix = "give each template its own files"
                self._error(f"two templates use the files `{file}`", fix, "templates", name)
                continue
            files.add(file)
            front, back = (
                self._file(f"{file}.{side}.html", "missing-template", name) for side in ("front", "back")
            )
            browser = [entry.get(key, "") for key in ("browser_front", "browser_back")]
            if not all(isinstance(each, str) and not _HALF.search(each) for each in browser):
                self._error("a template for the browser must be text", "put it in quotes", "templates", name)
                continue
            yield Template(name, entry.get("id"), front, back, browser[0], browser[1], file)

    def _file(self, name: str, rule: str, *words: str, optional: bool = False) -> str:
        limit = MAX_TEMPLATE_BYTES if name.endswith(".html") else MAX_CSS_BYTES
        try:
            return read_text(self.folder / name, self.root, limit)
        except UnicodeDecodeError:
            self._error(f"`{name}` is not UTF-8", "save it as UTF-8", *words, rule=rule)
        except MissingError:
            if not optional:
                self._error(f"no file `{name}`", "add it next to `notetype.json`", *words, rule=rule)
        except InputError as failure:
            if isinstance(failure, TooLargeError) and limit == MAX_TEMPLATE_BYTES:
                message = f"`{name}` {too_large(failure.size)}"
                place = self._place(*words)
                self.diagnostics.append(error(place, "template-too-large", message, failure.help))
            else:
                self._error(f"`{name}` {failure.reason}", failure.help, *words, rule=rule)
        return ""

    def _check_templates(self, note_type: NoteType) -> None:
        """Warn about templates for which Anki shows an error instead of a card."""
        known = {*note_type.field_names, *_SPECIAL}
        for template in note_type.templates:
            for side, text in (("front", template.front), ("back", template.back)):
                path = f"{self.path}/{template.file}.{side}.html"
                try:
                    parts = parse_template(text)
                except TemplateError as failure:
                    place = Location.within(path, text, failure.offset)
                    fix = "close each section with `{{/…}}`"
                    self.diagnostics.append(warning(place, "broken-template", str(failure), fix))
                    continue
                for name, offset in islice(_unknown(parts, known).items(), _MOST_UNKNOWN):
                    message = f"`{note_type.name}` has no field `{name[:60]}`"
                    fix = one_of(name, note_type.field_names)
                    place = Location.within(path, text, offset)
                    self.diagnostics.append(warning(place, "unknown-field", message, fix, 2))


def _unknown(parts: tuple[Part, ...], known: Container[str]) -> dict[str, int]:
    """Return the names in a template that are not `known`, each with its first offset."""
    found: dict[str, int] = {}
    for each in names_in(parts):
        is_cloze_section = isinstance(each, TemplateSection) and _CLOZE_SECTION.fullmatch(each.name)
        if each.name and each.name not in known and not is_cloze_section:
            found.setdefault(each.name, each.offset)
    return found


def _bad_field_name(name: str) -> str:
    """Return why Anki would not keep the name of a field unchanged, or an empty string."""
    if not name or name != name.strip() or not name.isprintable():
        return "it is empty, has spaces around it, or has invisible characters"
    if any(char in ':{}"' for char in name):
        return 'it has `:`, `"` or a brace'
    return "it begins with `#`, `^` or `/`" if name[0] in "#^/" else ""
