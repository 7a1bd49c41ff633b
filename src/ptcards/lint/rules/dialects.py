"""Notes written for other programs, and cards that exist but are not read."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.message import Message
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.tree import Block, BlockKind
from ptcards.source.dialects import BOLD_QUESTIONS, settings_for


class CardInSeveralDecks(Message, severity="hint"):
    """A line names several decks for the cards below it.

    Why: in Anki, a card is in only one deck, so only the first tag counts.

    For instance:

        #flashcards/net #flashcards/exam

    Fix: if the first tag is right, do nothing; otherwise move the right one to the front.

        #flashcards/net
    """


class CodeLikeSeparator(Message, severity="hint"):
    """The separator of a card is between two names, so it may be code.

    Why: text such as `std::move` in a note on C++ becomes a card, as it does in Obsidian's Spaced Repetition
    plugin.

    For instance:

        It calls std::move on the vector.

    Fix: if it is code, put it in backticks; if it is a card, do nothing.

        It calls `std::move` on the vector.
    """


class CutAnswer(Message, severity="hint"):
    """A list, a table or a picture follows a card after a blank line.

    Why: a blank line ends the answer, as it does in Obsidian's Spaced Repetition plugin, so what is below it
    is not on the card.

    For instance:

        What transport protocols are there?
        ?
        Two:

        - TCP
        - UDP

    Fix: if the text below belongs to the answer, remove the blank line.

        What transport protocols are there?
        ?
        Two:
        - TCP
        - UDP
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


class AmbiguousMedia(Message, severity="error"):
    """A note embeds a file by a name that several files share.

    Why: Obsidian finds an embedded file by its name alone. With two files of that name, the card could show
    the wrong one.

    For instance, in a collection with `week1/plot.png` and `week2/plot.png`:

        ![[plot.png]]

    Fix: write the path from the top of the collection.

        ![[week1/plot.png]]
    """


class EmbedDropped(Message, severity="warning"):
    """A note embeds another note or a document, which a card cannot show.

    Why: the embedded text is in another file and could change without this note. The card is made without
    that text.

    For instance:

        ![[Formulas]]

    Fix: copy what the card should show into the note.

        The energy is $E = mc^2$.
    """


class HeadingEndsCard(Message, severity="warning"):
    """A heading ends a card, and the text below the heading is on no card.

    Why: in the `qa` dialect, an answer ends at a heading, and text between cards is not read. Programs that
    do not treat headings in a special way, such as hashcards, show this text on the card.

    For instance:

        Q: What does a heap guarantee?
        A: The smallest item is on top.
        ## Proof
        Each parent is smaller than its children.

    Fix: remove the `#` if the text belongs to the card. Otherwise, write `---` above the heading.

        Q: What does a heap guarantee?
        A: The smallest item is on top.
        **Proof**
        Each parent is smaller than its children.
    """


class LeftOut(Message, severity="error or warning or hint"):
    """Cards in another program's notes are left out because they cannot become notes.

    Why: in ptcards' own format, a card without an answer, or with a picture that is not in the collection, is
    an error. In notes written for another program, there is only one warning per cause, so that you can study
    the other cards.

    For instance:

        What is a closure::

    If the card is already published, this is an error, because leaving the card out would retire it. If only
    the other program would read a card there, for instance in code or in `a == b == c`, this is a hint.

    Fix: if you want the card, add what is missing.

        What is a closure::A function with its scope.
    """


class ManyGone(Message, severity="error"):
    """Many published notes that were written for another program are missing.

    Why: a changed setting or moved files can make hundreds of notes disappear. The build stops if more than
    20% of the notes, and at least ten, are missing, because learners would keep cards that are never updated
    again.

    For instance, in `[obsidian]`, where the notes have `#flashcards`:

        tags = ["#cards"]

    Fix: check how the files are read; `ptcards check -v` shows each setting. If you removed the notes on
    purpose, run `ptcards build --accept`.

        tags = ["#flashcards"]
    """


class OptionsWithoutKey(Message, severity="hint"):
    """Questions with options are not choices, because no answer begins like `Answer: B`.

    Why: a question with options becomes a choice if its answer begins with a word, a colon and the label of
    the right option. Otherwise, as with `2) undefined`, the options are part of the text.

    For instance:

        - A: 1
        - B: 2

    Fix: if you want a choice, begin the answer with `Answer:` and the label of the right option.

        Answer: B
    """


class OtherNoteType(Message, severity="warning"):
    """A card has a note type that is not one of Anki's own.

    Why: ptcards cannot read its templates. The first two fields become the question and the answer, and the
    other fields become the details.

    For instance:

        START
        Vocabulary
        Word: la maison
        Meaning: the house
        END

    Fix: look at the cards with `ptcards serve`; if they are right, do nothing.
    """


class OverlappingCloze(Message, severity="warning"):
    """A cloze uses a pattern that Anki cannot follow.

    Why: in Obsidian's Spaced Repetition plugin, a pattern such as `[^ash]` sets what each card asks, shows
    and hides. In Anki, you can only set what is asked, so the card is left out.

    For instance:

        ==one==[^ash] ==two==[^has]

    Fix: number the parts to ask for.

        ==one==[^1] ==two==[^2]
    """


class ScheduleDropped(Message, severity="hint"):
    """Cards have a schedule from Obsidian's Spaced Repetition plugin.

    Why: the `.apkg` does not contain schedules, so cards that Anki does not have yet start as new cards. The
    comments stay where they are, and the plugin continues to use them.

    For instance:

        <!--SR:!2024-08-16,51,230-->

    Fix: no action is needed.
    """


class UnknownRegexp(Message, severity="warning"):
    """A regular expression in Obsidian_to_Anki's settings is not used.

    Why: ptcards does not run regular expressions from somebody else's settings. It supports those of the
    plugin's wiki: `Q:` and `A:`, `::`, headings, paragraphs with clozes, a tag or a rule below the question,
    and tables.

    For instance:

        "Custom": "^## (.+)"

    Fix: write these cards as `Q:` and `A:`, or between START and END.
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


class SeparatorInFormula(Message, severity="hint"):
    r"""A formula contains the separator of a card, but is not a card.

    Why: in ptcards, a separator inside a formula is part of the formula. Obsidian's Spaced Repetition plugin
    makes a card from it, and cuts the formula in two.

    For instance:

        The type is $f :: A \to B$ in Haskell.

    Fix: if it is a formula, do nothing. If the dollar signs are text, write `\$`.

        In 1990 \$a::in 2020 \$b.
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


class ForeignFormat(Message, severity="error"):
    """A file is written for another tool, or is not Markdown at all.

    Why: some formats look similar but mean something else, so the cards would be wrong: md2anki keeps ids in
    headings, and mdanki separates question and answer with `%`. Packages and tables are not sources.

    For instance:

        ptcards build biology.apkg

    Fix: name Markdown files or their folder. If a file is in another tool's format, build a package with that
    tool and import it into Anki.
    """


class NoNotes(Message, severity="error"):
    """None of the given files contains a note.

    Why: an empty package would look like success. ptcards writes nothing and leaves the previous outputs
    unchanged. The message says what was looked for and what the files look like instead.

    For instance:

        Q: What is the capital of France?
        A: Paris

    Fix: do what the message suggests: write `## ` before questions, set the dialect of the notes, or name the
    README.md that contains the questions.

        # deck.toml
        dialect = "qa"

    Three dialects are read in place, each also with `--dialect`: `obsidian` for Spaced Repetition, `qa` for
    `Q:` and `A:`, hashcards and Obsidian_to_Anki, and `details` for question lists. If another program made
    an Anki deck of your notes, run `ptcards import` on the package, which keeps your learners' reviews.
    `ptcards import` also reads tables: what Quizlet or Notion exports.
    """


class UnreadCards(Message, severity="warning or hint"):
    """Some files contain cards in a different format from the one in which they are read.

    Why: the deck lacks these cards, and nobody would notice. In a list with `<details>`, only the first one
    below a heading is its answer; others become its details, which is a hint, or a warning if they are many.

    For instance:

        physics/waves.md with `Q:` and `A:` in a collection of `##` headings

    Fix: set the dialect of these files in `deck.toml`, or exclude them.

        [[dialects]]
        files = ["physics/**"]
        dialect = "qa"
    """


class WrongDialect(Message, severity="warning"):
    """A file contains no cards in its dialect, and seems to be written in another one.

    Why: the setting is probably meant for other files.

    For instance, if the lists have `<details>`:

        [[dialects]]
        files = ["lists/**"]
        dialect = "qa"

    Fix: set the dialect that the message suggests.

        [[dialects]]
        files = ["lists/**"]
        dialect = "details"
        question = "heading"
    """


_ASKS = re.compile(r"[?？][^\w\n?？]*\Z")
_BOLD = re.compile(r"\s*(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_\n]+)\1[^\w*]*\Z")
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3


class QuestionsBelow(Rule, severity="warning"):
    """An answer contains several questions, as headings or in bold.

    Why: only headings of one level are questions. If the headings of that level are chapters, the questions
    below them become part of a chapter's answer.

    For instance:

        ## Cells

        ### What is a cell?

        The smallest unit that lives.

        ### What is a nucleus?

        It holds the genes.

    Fix: set the level of questions in `deck.toml` or in the file's front matter. If the questions are in
    bold, set the dialect `details` with `question = "bold"`.

        ---
        question-level: 3
        ---
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the number of questions in the answer."""
        blocks = note.part("answer").blocks
        headings = [
            block for block in blocks if block.kind is BlockKind.HEADING and _ASKS.search(block.one_line)
        ]
        bold = [block for block in blocks if block.kind is BlockKind.PARAGRAPH and _asks_in_bold(block)]
        if len(headings) >= _FEWEST_HEADINGS:
            yield self._report(note, headings, f"`question-level: {headings[0].level}` in the front matter")
        elif len(bold) >= _FEWEST_BOLD:
            yield self._report(note, bold, settings_for(BOLD_QUESTIONS))

    def _report(self, note: Reading, found: Sequence[Block], setting: str) -> Diagnostic:
        what = "question headings" if found[0].kind is BlockKind.HEADING else "questions in bold"
        message = f"{len(found)} {what} are part of this answer"
        return self.report(note.note.location, message, f"if they are separate questions, set {setting}", 2)


def _asks_in_bold(block: Block) -> bool:
    found = _BOLD.match(block.lines[0].text) if len(block.lines) == 1 else None
    return bool(found and _ASKS.search(found["text"]))


class UnsupportedNotes(Message, severity="warning"):
    """A file has notes or fields in a form that the dialect does not read.

    Why: in the `qa` dialect, notes on one line between `STARTI` and `ENDI` are not read, and fields below
    `FROZEN` are not added to the notes of the file.

    For instance:

        STARTI [Basic] What is a leaf? Back: A tensor that no operation made. ENDI

    Fix: write each note between `START` and `END`, with all its fields.

        START
        Basic
        What is a leaf?
        Back: A tensor that no operation made.
        END
    """
