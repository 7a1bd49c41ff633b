"""What `AGENTS.md` says: how the notes of a collection are written, for models that write some."""

from collections.abc import Iterator
from pathlib import Path

from ptcards.diagnostics import Severity, WrongUseError
from ptcards.lint.check import enabled_rules, is_english
from ptcards.lint.registry import Rule
from ptcards.source.config import Config
from ptcards.source.own_notetypes import OWN_PREFIX

FILE = "AGENTS.md"
_BEGIN = b"<!-- ptcards: begin -->"
_END = b"<!-- ptcards: end -->"
"""The marks around our part of the file; everything else belongs to the author."""

_MOST = 20
"""The maximum number of lines about the settings: the file should be short."""


def with_agents_part(before: bytes, config: Config) -> bytes:
    """Return the content of an `AGENTS.md` with our part of it; the author's text around it stays as it is.

    Raises WrongUseError if it is unclear where our part begins and ends.
    """
    line_end = "\r\n" if b"\r\n" in before else "\n"
    ours = _agents_part(config).replace("\n", line_end).encode()
    above, begin, rest = before.partition(_BEGIN)
    _, end, below = rest.partition(_END)
    if before.count(_BEGIN) != before.count(_END) or before.count(_BEGIN) > 1 or (begin and not end):
        message = f"`{FILE}` has other marks than one `{_BEGIN.decode()}` and one `{_END.decode()}`"
        raise WrongUseError(message, "delete all of these marks, and what is between them")
    if begin:
        return above + ours.rstrip(b"\r\n") + below
    gap = "" if not before else line_end if before.endswith(b"\n") else line_end * 2
    return before + gap.encode() + ours


def _agents_part(config: Config) -> str:
    """Return our part of `AGENTS.md` for a collection, from the line with `BEGIN` to the one with `END`."""
    text = Path(__file__).with_suffix(".md").read_text("utf-8").replace("{name}", config.name)
    settings = "".join(f"{part}\n" for part in (*_settings(config), *_rules(config)))
    return f"{_BEGIN.decode()}\n{text.replace('{settings}', settings)}{_END.decode()}\n"


def _settings(config: Config) -> Iterator[str]:
    """Yield what the settings of this collection ask of a note."""
    lines = [*_about_notes(config)]
    if len(lines) > _MOST:
        lines[_MOST:] = ["`deck.toml` says more."]
    if lines:
        yield "## What this collection asks for\n\n" + "".join(f"- {line}\n" for line in lines)


def _about_notes(config: Config) -> Iterator[str]:
    if config.language:
        yield f"Write in the language `{config.language}`."
    if config.question_level != 2:
        yield f"Questions are headings with {'#' * config.question_level}, not `##`."
    if config.cards != "all":
        yield f"Only headings with `{config.mark}` or a card comment are questions."
    if config.add.require:
        sections = ", ".join(f"`### {name.capitalize()}`" for name in config.add.require)
        yield f"`ptcards add` refuses a note without {sections}."
    if config.tags:
        yield f"Every note gets the tags {_listed(config.tags)}; do not repeat them."
    for note_type in config.note_types:
        name, fields = note_type.key.removeprefix(OWN_PREFIX), _listed(note_type.field_names)
        yield f"`type={name}` in a card comment makes a note with the fields {fields}, as `###` sections."
    if config.dialect:
        yield f"Most files are read as `{config.dialect}`: leave them to that program."
    for entry in config.dialects:
        yield f"Files that match {_listed(entry.files)} are read as `{entry.dialect}`: add nothing there."


def _rules(config: Config) -> Iterator[str]:
    """Yield the warnings that this collection gives about the text of a note, with its limits."""
    rules = [
        rule
        for rule in enabled_rules(config.check)
        # Others explain what is reported elsewhere.
        if any(look in vars(type(rule)) for look in ("check", "check_all", "check_text"))
        and (Severity.WARNING in rule.severities or rule.name in config.check.enable)
        and rule.name not in config.check.ignore
        and (is_english(config.language) or not rule.english)
    ]
    yield (
        "## What `ptcards add` refuses\n\nErrors, a question that exists, and these warnings:\n\n"
        + "".join(f"- `{rule.name}`: {rule.summary}{_limits(rule)}.\n" for rule in rules)
    )


def _limits(rule: Rule) -> str:
    limit = rule.limits.get(rule.name)
    return f" (the limit is {limit})" if limit else ""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
