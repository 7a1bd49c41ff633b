"""Notes written for other programs."""

from ptcards.lint.registry import Rule


class CardInSeveralDecks(Rule, severity="hint"):
    """A line names several decks for the cards below it.

    Why: in Anki a card is in one deck. The first tag counts.

    For instance:

        #flashcards/net #flashcards/exam

    Fix: if the first tag is right, do nothing; otherwise move the right one to the front.
    """


class CodeLikeSeparator(Rule, severity="hint"):
    """The separator of a card is between two names, as it could be in code.

    Why: `std::move` in a note on C++ becomes a card, as it does in the plugin.

    For instance:

        It calls std::move on the vector.

    Fix: put code in backticks; if it is a card, do nothing.

        It calls `std::move` on the vector.
    """


class CutAnswer(Rule, severity="hint"):
    """A list, a table or a picture follows a card after a blank line.

    Why: a blank line ends the answer, as it does in the plugin, so the text below it is not on the card.

    For instance:

        What transport protocols are there?
        ?
        Two:

        - TCP
        - UDP

    Fix: remove the blank line if the rest belongs to the answer.
    """


class DialectOption(Rule, severity="error"):
    """A dialect's option does not exist, has a wrong value or is missing.

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


class UnknownDialect(Rule, severity="error"):
    """There is no dialect with this name.

    Why: the files would be read as something they are not.

    For instance:

        dialect = "obsidan"

    Fix: correct the name; the message suggests one.

        dialect = "obsidian"
    """


class AmbiguousMedia(Rule, severity="error"):
    """A note embeds a file by a name that several files share.

    Why: Obsidian finds an embedded file by its name alone. With two files of that name, the card could show
    the wrong one.

    For instance:

        ![[plot.png]]     with week1/plot.png and week2/plot.png

    Fix: write the path from the top of the collection.

        ![[week1/plot.png]]
    """


class EmbedDropped(Rule, severity="warning"):
    """A note embeds another note or a document, which a card cannot show.

    Why: the embedded text is in another file and could change without this note. The card is made without it.

    For instance:

        ![[Formulas]]

    Fix: copy what belongs on the card into the note.
    """


class FrozenTooLong(Rule, severity="warning"):
    """The fields that a file adds to all its notes of a type are too long.

    Why: they are copied into each of these notes, so a long text and many notes would make a huge deck. The
    notes are made without them.

    For instance:

        FROZEN - Basic:
        Extra: five pages of text

    Fix: shorten them to 2,000 characters, for instance to a link.

        FROZEN - Basic:
        Extra: <https://example.org/five-pages>
    """


class LeftOut(Rule, severity="error or warning"):
    """Cards in another program's notes are left out because they cannot become notes.

    Why: in ptcards' own format, a card without an answer, or with a picture that is not in the collection, is
    an error. In notes written for another program it is a warning, one per cause, so that you can study the
    other cards.

    For instance:

        What is a closure::

    If the card is already published, leaving it out would retire it, so that is an error.

    Fix: if you want the card, add what is missing.

        What is a closure::A function with its scope.
    """


class ManyGone(Rule, severity="error"):
    """Many published notes that were written for another program are missing.

    Why: a changed setting, or files that were moved, can make hundreds of notes disappear. If more than 20 %
    of the notes, and at least ten, are missing, the build stops: learners would keep cards that are never
    updated again.

    For instance:

        tags = ["#cards"]        in `[obsidian]`, and the notes have #flashcards

    Fix: check how the files are read: `ptcards check -v` shows each setting. If you removed the notes on
    purpose, run `ptcards build --accept`.
    """


class OptionsWithoutKey(Rule, severity="hint"):
    """Questions have options, but no answer names the right one.

    Why: a question with options becomes a choice if its answer begins with a word, a colon and the right
    label. Without it the options are part of the text.

    For instance:

        - A: 1
        - B: 2

    Fix: if you want a choice, begin the answer with `Answer:` and the right label.

        Answer: B
    """


class OtherNoteType(Rule, severity="warning"):
    """A card has a note type that is not one of Anki's own.

    Why: ptcards cannot read its templates. The first two fields become the question and the answer, and the
    others the details.

    For instance:

        START
        Vocabulary
        Word: la maison
        Meaning: the house
        END

    Fix: look at the cards with `ptcards serve`; if they are right, do nothing.
    """


class OverlappingCloze(Rule, severity="warning"):
    """A cloze uses a pattern that Anki cannot follow.

    Why: in Obsidian's Spaced Repetition plugin, the pattern `[^ash]` sets for each card what is asked, shown
    and hidden. In Anki you can only set what is asked, so the card is left out.

    For instance:

        ==one==[^ash] ==two==[^has]

    Fix: number the parts to ask for.

        ==one==[^1] ==two==[^2]
    """


class ScheduleDropped(Rule, severity="hint"):
    """Cards have a schedule from Obsidian's Spaced Repetition plugin.

    Why: the `.apkg` does not contain schedules, so cards that are new to Anki start as new cards. The
    comments stay where they are, and the plugin continues to use them.

    For instance:

        <!--SR:!2024-08-16,51,230-->

    Fix: no action is needed.
    """


class UnknownRegexp(Rule, severity="warning"):
    """A regular expression in Obsidian_to_Anki's settings is not used.

    Why: ptcards does not run regular expressions from somebody else's settings. It supports the usual ones,
    for `Q:` and `A:` and for `::`.

    For instance:

        "Custom": "^## (.+)"

    Fix: write these cards as `Q:` and `A:`, or between START and END.
    """


class VaultAbove(Rule, severity="warning"):
    """The vault is above the collection.

    Why: nothing outside a collection is ever read, so the settings of the vault's plugins, which decide what
    is a card, and its pictures are missing.

    For instance:

        vault/.obsidian/ and vault/biology/deck.toml

    Fix: move `deck.toml` to the vault's folder. `exclude` leaves out the folders that you do not want.

        vault/deck.toml
    """
