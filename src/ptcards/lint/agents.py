"""What `AGENTS.md` says: how the notes of a collection are written, for models that write some."""

from collections.abc import Iterator

from ptcards.diagnostics import Severity
from ptcards.lint.check import enabled_rules, is_english
from ptcards.lint.registry import Rule
from ptcards.source.config import Config
from ptcards.source.own_notetypes import OWN_PREFIX

FILE = "AGENTS.md"
BEGIN = b"<!-- ptcards: begin -->"
END = b"<!-- ptcards: end -->"
"""The marks around our part of the file; everything else belongs to the author."""

_MOST = 20
"""The maximum number of lines about the settings: the file should be short."""

_FORMAT = """\
## How a note is written

A `##` heading asks one question, and the text below it is the answer. A `#` heading names the deck of the
notes below it. Notes are Markdown as on GitHub.

```markdown
## What does `detach()` return?
<!-- card: draft difficulty=easy -->

A tensor that shares the data and has no history.

### Details

It is how you log a loss without keeping its graph.

### Sources

- <https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html>
```

- Sections: `### Hint` (on the front), `### Answer` (below a longer question), `### Details` and
  `### Sources` (on the back).
- Choice: a task list below the question, `- [x]` right and `- [ ]` wrong, and a reason below the list or
  nested in each option.
- Cloze: `<!-- card: kind=cloze -->`, with `{{c1::the hidden text}}` in the answer.
- Sequence: `<!-- card: kind=sequence -->`, with a list in the answer: each item is a card (`kind=set` if
  their order does not matter).
- `draft` in the card comment keeps a note out of every deck until a person removes it. Write only drafts.
- Never change a published question, an `id=` or `deck.lock`: learners would lose their reviews.
"""
_COMMANDS = """\
## How to add notes

1. `ptcards find WORDS --format json` lists the notes that exist. Do not ask the same again.
2. `ptcards add - --draft --to FILE --format json` takes Markdown notes on standard input. It adds all of
   them or none, and prints why.
3. `ptcards check --format json --explain` lists every problem with its place, its fix as edits, and the
   rule. `ptcards check --fix` applies the edits.
4. `ptcards explain --format json` describes all rules with examples, `ptcards explain RULE` one of them.
"""


def agents_part(config: Config) -> str:
    """Return our part of `AGENTS.md` for a collection, from the line with `BEGIN` to the one with `END`."""
    head = f"# {config.name}\n\nThese flashcards are made with ptcards.\n"
    parts = "\n".join([head, _FORMAT, *_settings(config), *_rules(config), _COMMANDS])
    return f"{BEGIN.decode()}\n{parts}{END.decode()}\n"


def _settings(config: Config) -> Iterator[str]:
    """Yield what the settings of this collection ask of a note."""
    lines = [*_about_notes(config), *_about_files(config)]
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


def _about_files(config: Config) -> Iterator[str]:
    if config.dialect:
        yield f"Most files are read as `{config.dialect}`: leave them to that program."
    for entry in config.dialects:
        yield f"Files that match {_listed(entry.files)} are read as `{entry.dialect}`: add nothing there."


def _rules(config: Config) -> Iterator[str]:
    """Yield the warnings that this collection gives about the text of a note, with its limits."""
    rules = [
        rule
        for rule in enabled_rules(config.check)
        if _advises(rule)
        and (Severity.WARNING in rule.severities or rule.name in config.check.enable)
        and rule.name not in config.check.ignore
        and (is_english(config.language) or not rule.english)
    ]
    yield (
        "## What `ptcards add` refuses\n\nErrors, a question that exists, and these warnings:\n\n"
        + "".join(f"- `{rule.name}`: {rule.summary}{_limits(rule)}.\n" for rule in rules)
    )


def _advises(rule: Rule) -> bool:
    """Whether a rule looks at the text of notes, instead of explaining what is reported elsewhere."""
    looks = (Rule.check, Rule.check_all, Rule.check_text)
    return (type(rule).check, type(rule).check_all, type(rule).check_text) != looks


def _limits(rule: Rule) -> str:
    limit = rule.limits.get(rule.name)
    return f" (the limit is {limit})" if limit else ""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
