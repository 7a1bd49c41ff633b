"""Notes written for other programs."""

from ptcards.lint.message import Message


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


class QuestionsBelow(Message, severity="warning"):
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
