"""Notes that were written for other programs."""

from ptcards.lint.registry import Rule


class DialectOption(Rule, severity="error"):
    """A dialect has no such option, the option has no such value, or one is missing that has no default.

    Why: the options decide what a card is; nothing is guessed in a build.

    For instance:

        [[dialects]]
        files = ["README.md"]
        dialect = "details"

    Fix: write what the message proposes; `ptcards check` without the setting says what the file looks like.

        [[dialects]]
        files = ["README.md"]
        dialect = "details"
        question = "heading"
    """


class UnknownDialect(Rule, severity="error"):
    """There is no dialect of this name.

    Why: the files would be read as something that they are not.

    For instance:

        dialect = "obsidan"

    Fix: correct the name; the message suggests one.

        dialect = "obsidian"
    """


class AmbiguousMedia(Rule, severity="error"):
    """Several files of the collection have the name that a note embeds.

    Why: Obsidian finds an embedded file by its name alone. With two of them the card could show the wrong one.

    For instance:

        ![[plot.png]]     with week1/plot.png and week2/plot.png

    Fix: write the path from the top of the collection.

        ![[week1/plot.png]]
    """


class EmbedDropped(Rule, severity="warning"):
    """A note embeds another note or a document, which a card cannot show.

    Why: the embedded text is in another file, and would change without this note. The card is made without it.

    For instance:

        ![[Formulas]]

    Fix: write what belongs on the card into it.
    """


class LeftOut(Rule, severity="warning"):
    """Cards of another program's notes are left out, since they cannot be notes.

    Why: a card without an answer, or with a picture that is not in the collection, would be an error in our own format.
    In notes that were written for another program it is a warning, one for each cause, so that the other cards can be
    studied.

    For instance:

        What is a closure::

    Fix: write what is missing, if the card is meant.

        What is a closure::A function with its scope.
    """


class OtherNoteType(Rule, severity="warning"):
    """A card has a note type that is not one of Anki's own.

    Why: its first two fields become question and answer, the others details; its templates are not known here.

    For instance:

        START
        Vocabulary
        Word: la maison
        Meaning: the house
        END

    Fix: look at the cards in `ptcards serve`; nothing has to be changed if they are right.
    """


class OverlappingCloze(Rule, severity="warning"):
    """A cloze hides and shows its parts in turn.

    Why: the pattern `[^ash]` of Spaced Repetition says for each card what is asked, shown and hidden. Anki knows only
    what is asked, so the card is left out.

    For instance:

        ==one==[^ash] ==two==[^has]

    Fix: number what is asked.

        ==one==[^1] ==two==[^2]
    """


class ScheduleDropped(Rule, severity="hint"):
    """Cards have a schedule of Obsidian's plugin Spaced Repetition.

    Why: an `.apkg` brings no schedule for cards that Anki does not know, so they start as new. The comments stay where
    they are, and the plugin goes on with them.

    For instance:

        <!--SR:!2024-08-16,51,230-->

    Fix: nothing has to be done.
    """


class UnknownRegexp(Rule, severity="warning"):
    """A regular expression of Obsidian_to_Anki's settings is not read.

    Why: an expression of somebody else's settings is not run. The usual ones, for `Q:` and `A:` and for `::`, are known.

    For instance:

        "Custom": "^## (.+)"

    Fix: write these cards as `Q:` and `A:`, or between START and END.
    """
