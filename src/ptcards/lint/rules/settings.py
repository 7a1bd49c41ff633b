"""Settings in card comments, front matter and `deck.toml`."""

import re
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.diagnostics.suggest import slip_among
from ptcards.lint.message import Message
from ptcards.lint.note import Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.tree import BlockKind
from ptcards.notes import DIFFICULTIES, Kind
from ptcards.source.attributes import without_spaces
from ptcards.source.config import header, known_keys
from ptcards.source.valid_names import CARD_KEYS, FRONT_MATTER_KEYS, bad_tag


class BadTag(Rule, severity="error"):
    """Anki cannot store a tag as it is written.

    Why: Anki splits tags at white space, cannot search for quotation marks, and reserves `marked` and
    `leech`. `::` separates the levels of a tag, none of which may be empty.

    For instance:

        tags: ["loss functions", "::memory"]

    Fix: join words with `-` and levels with `::`.

        tags: [loss-functions, performance::memory]
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Join the words of a tag."""
        for place, group in groupby(draft.found(self.name), key=lambda each: each.location):
            line = draft.lines[place.line - 1]
            tags = {each.message[1:].partition("`")[0] for each in group}
            joined = {tag: "-".join(tag.split()) for tag in tags}
            if all(tag in line and not bad_tag(new) for tag, new in joined.items()):
                yield from (LineEdit(place.line, line.find(tag) + 1, tag, new) for tag, new in joined.items())


class KeyTwice(Message, severity="error"):
    """A key is set twice in one place.

    Why: only one of the values can apply, and ptcards would have to guess which.

    For instance:

        <!-- card: tags=memory tags=speed -->

    Fix: keep one of them. Separate several tags with commas.

        <!-- card: tags=memory,speed -->
    """


class MalformedId(Message, severity="error"):
    """An id is too long or contains characters that are not allowed.

    Why: ids are used in card comments, in `deck.lock` and on the command line, so they must have 1 to 80
    characters, all of them letters, digits, `-`, `_` or `.`.

    For instance:

        <!-- card: id=what's-autograd -->

    Fix: use only those characters.

        <!-- card: id=what-is-autograd -->
    """


class UnknownDifficulty(Rule, severity="error"):
    """A difficulty is not `easy`, `medium` or `hard`.

    Why: the difficulty becomes the tag `difficulty::…` and a label on the card, and learners would never look
    for a fourth level.

    For instance:

        <!-- card: difficulty=beginner -->

    Fix: write `easy`, `medium` or `hard`. `--fix` corrects obvious slips.

        <!-- card: difficulty=easy -->
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the difficulty that was clearly intended."""
        return draft.corrections(self.name, DIFFICULTIES)


class UnknownKey(Rule, severity="error"):
    """A setting has an unknown name.

    Why: a misspelt setting would be silently ignored.

    For instance:

        <!-- card: dificulty=easy -->

    Fix: correct the name; the message suggests the nearest one. In card comments and `deck.toml`, `--fix`
    corrects obvious slips.

        <!-- card: difficulty=easy -->
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the key that was clearly intended."""
        return draft.corrections(self.name, CARD_KEYS)

    @property
    def explanation(self) -> str:
        """The text, followed by a list of all keys."""
        tables = known_keys()
        lists = {
            "a card comment": CARD_KEYS,
            "front matter": (*FRONT_MATTER_KEYS, "type"),
            "`deck.toml`": tables[""],
            **{f"`{header(table)}` in `deck.toml`": keys for table, keys in tables.items() if table},
        }
        lines = [f"- in {where}: {', '.join(f'`{key}`' for key in keys)}" for where, keys in lists.items()]
        return "\n".join([self.text, "", "The keys:", "", *lines, ""])


class UnknownKind(Rule, severity="error"):
    """A note has an unknown kind.

    Why: the kinds are `basic`, `reversed`, `typed`, `choice`, `cloze`, `sequence`, `set` and `occlusion`.
    Most notes need not set one, because a task list makes a note a choice, and a deletion makes it a cloze.

    For instance:

        <!-- card: kind=quiz -->

    Fix: use one of them, or remove `kind`. `--fix` corrects obvious slips.

        <!-- card: kind=choice -->
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the kind that was clearly intended."""
        return draft.corrections(self.name, Kind)


class WrongValue(Message, severity="error"):
    """A setting has an invalid value.

    Why: a wrong guess would change every note that the setting applies to.

    For instance, in `deck.toml`:

        tags = "pytorch"

    Fix: use a value of the type that the message names.

        tags = ["pytorch"]
    """


class EmptyEdition(Message, severity="warning"):
    """No note is in an edition.

    Why: it is not built, since Anki would import its package and show nothing. A note is in an edition if it
    matches each of `tags`, `decks` and `sources` that is given, and nothing in `not`. Names of decks are
    written without the collection's name.

    For instance:

        [[editions]]
        name = "two-weeks"
        decks = ["Tensor"]

    Fix: correct the names or patterns, or remove the edition.

        [[editions]]
        name = "two-weeks"
        decks = ["Tensors"]
    """


_SETTING = re.compile(r"(?P<key>[a-z]+)\s*[:=]\s*(?P<value>\S.*)", re.IGNORECASE)
_TAGS = re.compile(r"#?[\w:/-]+(?:[,\s]+#?[\w:/-]+)*")


def _tags(value: str) -> str:
    if not _TAGS.fullmatch(value):
        return ""
    return ",".join(tag.strip("#").replace("/", "::") for tag in re.split(r"[,\s]+", value))


_WORDS = {"kind": tuple(Kind), "difficulty": DIFFICULTIES}
"""The settings that have one of a few words; both may be misspelt."""


class _Setting(NamedTuple):
    """A line that is a setting in other programs, and the card comment that replaces it."""

    place: Location
    written: str
    comment: str


class SettingAsText(Rule, severity="warning"):
    """The first paragraph below a question is a setting, written as text.

    Why: a note's settings belong in its card comment. Written as text, they appear on the card and have no
    effect. A slip such as `difficulty: eazy` is a setting, too.

    For instance:

        ## Where does HTTPS listen?

        Tags: net tcp

        On port 443.

    Fix: replace the text with a card comment. `--fix` does this.

        ## Where does HTTPS listen?
        <!-- card: tags=net,tcp -->

        On port 443.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the line with the setting."""
        if setting := _setting(note):
            message = f"`{setting.written}` is plain text here"
            yield self.report(setting.place, message, f"write `{setting.comment}`", len(setting.written))

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Replace the line with the card comment."""
        for note in draft.notes:
            if setting := _setting(note):
                yield LineEdit(setting.place.line, setting.place.column, setting.written, setting.comment)


def _setting(note: Reading) -> _Setting | None:
    """Return the setting if it is the entire first paragraph below the heading."""
    first = next((part for part in note.parts if part.name in ("question", "answer")), None)
    block = next(iter(first.blocks), None) if first else None
    if first is None or block is None or block.kind is not BlockKind.PARAGRAPH or len(block.lines) != 1:
        return None
    written = block.lines[0].text.strip()
    found = _SETTING.fullmatch(written)
    meant = _meant(found["key"].lower(), found["value"]) if found else ""
    place = first.text.location(block.start, block.column)
    return _Setting(place, written, f"<!-- card: {meant} -->") if meant else None


def _meant(key: str, value: str) -> str:
    """Return the setting that a key and a value clearly stand for, or an empty string."""
    if key in ("tag", "tags"):
        tags = _tags(value)
        return f"tags={tags}" if tags else ""
    name = _known(key, _WORDS)
    word = _known(value.lower(), _WORDS[name]) if name else None
    return f"{name}={word}" if word else ""


def _known(word: str, known: Collection[str]) -> str | None:
    return word if word in known else slip_among(word, known)


class BrokenDeckToml(Message, severity="error"):
    """`deck.toml` cannot be read.

    Why: it contains the name of the top-level deck and the id of the collection; nothing can be built without
    them.

    For instance:

        name = PyTorch

    Fix: correct the TOML syntax (https://toml.io): text goes in quotes, lists go in brackets, and tables
    begin with `[name]`.

        name = "PyTorch"
    """


class EmptyLicense(Message, severity="warning"):
    """`license` in `deck.toml` is empty.

    Why: without a licence, nobody may share or change the deck. An imported deck has an author, and
    `ptcards import` cannot know what the author allows.

    For instance:

        license = ""

    Fix: write the licence that the author gave the deck. If the deck is your own, choose a licence or remove
    the line.

        license = "CC BY 4.0"
    """


class MissingCss(Message, severity="error"):
    """The CSS file that `deck.toml` names is missing, outside the collection or not UTF-8.

    Why: this file is part of the style of every card, so the cards would look different without it.

    For instance:

        css = "styles.css"

    Fix: name a file inside the collection's folder.

        # style.css is next to this deck.toml
        css = "style.css"
    """


class MissingDescription(Message, severity="error"):
    """The HTML file that `description` names is missing, outside the collection or not UTF-8.

    Why: Anki shows the description above the deck's buttons. A description that is a single word ending in
    `.html` is the name of a file; any other description is Markdown.

    For instance:

        description = "about.html"

    Fix: name a file inside the collection's folder, or write the description itself in `deck.toml`.

        # description.html is next to this deck.toml
        description = "description.html"
    """


class MissingKey(Message, severity="error"):
    """`deck.toml` lacks a required key.

    Why: on an update, Anki finds the decks by `name`, and the notes with their reviews by `id`.

    For instance:

        name = "PyTorch"

    Fix: add the key. To write an id, run `ptcards init` in the collection's folder. The id must never change
    again.

        name = "PyTorch"
        id = "6f0c2c0e"
    """


class MissingExtends(Message, severity="error"):
    """The settings that `extends` names are missing or outside the repository.

    Why: a deck that is built without its shared settings may have other notes. A file outside the repository
    would be missing in every clone. Without git, the file may be in the folder above the collection's.

    For instance:

        extends = "../../common.toml"

    Fix: name a file in the repository; its path begins at the folder of `deck.toml`.

        # common.toml is in the folder above
        extends = "../common.toml"
    """


class MissingMacros(Message, severity="error"):
    r"""The file of macros that `deck.toml` names is missing, outside the collection or not UTF-8.

    Why: formulas that use the macros would show their names instead.

    For instance:

        [math]
        macros = "macros.tex"

    Fix: name a file inside the collection's folder.

        [math]
        # macros.tex is next to this deck.toml
        macros = "macros.tex"
    """


class NoDeckToml(Message, severity="warning", elsewhere=True):
    """The notes are built without a `deck.toml`.

    Why: without one, there is no `deck.lock` to remember which note is which. If you reword a question, it
    becomes a new note, and the learners' reviews stay with the old one.

    For instance:

        ptcards build notes.md

    Fix: run `ptcards init` in the folder before you share the deck.

        ptcards init
        ptcards build
    """


class UnknownLimit(Message, severity="warning"):
    """`[check.limits]` in `deck.toml` sets a limit that does not exist.

    Why: the rule would silently keep its default limit. `ptcards explain RULE` shows the limits of a rule.

    For instance:

        [check.limits]
        answer-word = 80

    Fix: correct the name; the message suggests the nearest one.

        [check.limits]
        answer-words = 80
    """


class UnknownRule(Message, severity="warning"):
    """`ignore` or `enable` names a rule that does not exist.

    Why: nothing would be ignored or enabled, and nobody would notice. `ptcards explain` lists all rules.

    For instance:

        <!-- card: ignore=answer-length -->

    Fix: correct the name; the message suggests the nearest one.

        <!-- card: ignore=answer-words -->
    """


class UnusedIgnore(Message, severity="warning"):
    """An `ignore` silences nothing.

    Why: it is no longer needed, or never was, and would hide the next problem of that kind. Errors cannot be
    ignored.

    For instance:

        <!-- card: id=what-is-autograd ignore=answer-words -->

        An answer of ten words.

    Fix: delete it.

        <!-- card: id=what-is-autograd -->

        An answer of ten words.
    """


class BrokenFrontMatter(Message, severity="error"):
    """The lines between the two `---` at the top of a file are not valid YAML.

    Why: front matter sets defaults for every note in the file, so a mistake in it would affect all of them.

    For instance:

        ---
        tags: [autograd
        ---

    Fix: write one `key: value` on each line. Put values that contain `:`, `#` or quotation marks in quotes.

        ---
        tags: [autograd]
        ---
    """


class MisspeltKey(Rule, severity="warning"):
    """A key in the front matter looks like a misspelt setting.

    Why: keys of other programs (`title`, `aliases`, `date`) are ignored, so a misspelt setting would be
    ignored too. A key with one wrong letter causes a warning, and so does a key of eight or more letters with
    two wrong ones. `ptcards check --fix` corrects the key.

    For instance:

        ---
        tag: [autograd]
        ---

    Fix: correct the name; the message suggests the right one.

        ---
        tags: [autograd]
        ---
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the key that was intended."""
        for diagnostic in draft.found(self.name):
            place = diagnostic.location
            written = draft.lines[place.line - 1][place.column - 1 :][: diagnostic.length]
            meant = diagnostic.help.split("`")[1]
            is_short = meant.startswith(written) and len(meant) > len(written) + 1
            if not is_short:  # `lang` may be for another program
                yield LineEdit(place.line, place.column, written, meant)


class UnclosedFrontMatter(Message, severity="error"):
    """The front matter is not closed.

    Why: a `---` on the first line opens the front matter, so the entire file would be read as settings and
    contain no notes.

    For instance:

        ---
        tags: [autograd]

        # Autograd

    Fix: close it with the line `---`. If you meant a horizontal rule, put a blank line above it.

        ---
        tags: [autograd]
        ---

        # Autograd
    """


class MalformedCardComment(Rule, severity="error"):
    """A card comment cannot be read.

    Why: its settings would be silently ignored.

    For instance:

        <!-- card: id=no-grad difficulty: easy -->

    Fix: write `key=value`, with quotes around a value that contains spaces. Nothing else may follow the
    comment on its last line. `--fix` removes spaces around `=`.

        <!-- card: id=no-grad difficulty=easy -->
    """

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Remove the spaces around `=`."""
        for diagnostic in draft.found(self.name):
            written = draft.marked(diagnostic)
            if "=" in written:
                yield from draft.replace(diagnostic, without_spaces(written))


class MisplacedCardComment(Message, severity="error"):
    """A card comment is in a place where it has no effect.

    Why: it must be the first thing below its `##` heading, alone and in column 1. Anywhere else it would be
    silently ignored.

    For instance:

        <!-- card: id=no-grad -->
        ## Why does evaluation run under `torch.no_grad()`?

    Fix: move it to the line below the heading. Each note can have only one card comment.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=no-grad -->
    """


class MisspeltCardComment(Message, severity="error or warning"):
    """A comment looks like a card comment but is not one.

    Why: it would be dropped like any other comment, along with its settings. It is only a warning if the
    comment has no word such as `cards:` but settings alone, as in `<!-- id=no-grad -->`.

    For instance:

        <!-- cards: id=no-grad -->

    Fix: write `<!-- card:`.

        <!-- card: id=no-grad -->
    """


class SkipWithKeys(Message, severity="error"):
    """A card comment combines `skip` with other keys.

    Why: a skipped heading is not a note, so the other keys would have no effect. Either they or `skip` must
    be a mistake.

    For instance:

        ## Background
        <!-- card: skip difficulty=easy -->

    Fix: remove the other keys, or remove `skip`.

        ## Background
        <!-- card: skip -->
    """


class UnusedSkip(Message, severity="warning"):
    """A card comment skips a heading that would not become a card anyway.

    Why: with `cards = "marked"`, only marked headings become cards, so there is nothing to skip.

    For instance:

        ## Background
        <!-- card: skip -->

    Fix: delete the comment.

        ## Background
    """


class DialectOption(Message, severity="error"):
    """An option of a dialect is unknown or missing, or has a wrong value.

    Why: the options decide what becomes a card, and a build never guesses.

    For instance:

        [[dialects]]
        files = ["README.md"]
        dialect = "details"

    Fix: write what the message suggests. If you remove the setting, `ptcards check` reports what the file
    looks like.

        [[dialects]]
        files = ["README.md"]
        dialect = "details"
        question = "heading"
    """


class UnknownDialect(Message, severity="error"):
    """There is no dialect with this name.

    Why: ptcards would read the files in the wrong format.

    For instance:

        dialect = "obsidan"

    Fix: correct the name; the message suggests the nearest one.

        dialect = "obsidian"
    """


class PluginSettings(Message, severity="error"):
    """The settings of an Obsidian plugin cannot be read.

    Why: they decide what becomes a card. With other settings, cards would be missing, and learners would lose
    them.

    For instance, in `data.json`:

        {"settings": {"flashcardTags": ["#cards"],}}

    Fix: change any of the plugin's settings in Obsidian, which rewrites the file, or correct the file
    yourself.

        {"settings": {"flashcardTags": ["#cards"]}}
    """


class VaultAbove(Message, severity="warning"):
    """The collection is in a subfolder of an Obsidian vault.

    Why: ptcards reads nothing outside a collection. It therefore finds neither the vault's pictures nor the
    settings of its plugins, which decide what becomes a card.

    For instance:

        vault/.obsidian/ and vault/biology/deck.toml

    Fix: move `deck.toml` to the vault's folder. To leave out folders, list them in `exclude`.

        vault/deck.toml
    """
