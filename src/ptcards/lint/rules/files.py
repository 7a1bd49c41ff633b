"""Files and folders of a collection."""

from ptcards.lint.registry import Rule


class ControlCharacter(Rule, severity="warning"):
    """A file has a character that cannot be seen.

    Why: Anki deletes control characters, and one of them (U+001F) makes it refuse the whole import, so they
    are left out. Most come along when text is copied from a terminal or a PDF.

    For instance:

        a form feed between two chapters

    Fix: delete it; the message names its place.
    """


class LinkedFolder(Rule, severity="warning"):
    """A folder in the collection is a symbolic link and is not read.

    Why: a link can lead out of the collection or in a circle, and what it leads to is not under the same
    version control.

    For instance:

        cards/shared -> ../../other/cards

    Fix: move the folder into the collection, or let its name begin with `_` if it does not belong to it.
    """


class NestedCollection(Rule, severity="error"):
    """A collection lies inside the folder of another one.

    Why: its sources would belong to both, with two identities.

    For instance:

        cards/deck.toml
        cards/advanced/deck.toml

    Fix: delete the inner `deck.toml` to make it part of the outer collection, or leave its folder out.

        exclude = ["advanced/"]
    """


class NotUtf8(Rule, severity="error"):
    """A file is not UTF-8.

    Why: other encodings cannot be told apart, so every accent would be a guess.

    For instance:

        a file saved as Windows-1252, with an `é` in it

    Fix: save the file as UTF-8; the message names the first byte that is not.
    """


class OtherCase(Rule, severity="error"):
    """The name of a file differs from `deck.toml` or `deck.lock` only in capital letters.

    Why: Windows and macOS treat it as the file itself, Linux does not, so the same collection would be two
    different decks.

    For instance:

        Deck.toml

    Fix: rename it.

        deck.toml
    """


class OutsideCollection(Rule, severity="error"):
    """A source, `deck.toml`, `deck.lock` or the file of `css` is a link that leads out of the collection.

    Why: a collection that somebody else wrote could otherwise put your files on its cards, or show them in
    the log of a build. Links from one place in the collection to another are followed.

    For instance:

        ln -s ../../private/notes.md notes.md

    Fix: copy the file into the collection.

        cp ../../private/notes.md notes.md
    """


class SourceTooLarge(Rule, severity="error"):
    """A file is larger than 16 MB.

    Why: no collection of questions is; it is most likely data or a picture under a wrong name, and reading it
    takes minutes.

    For instance:

        export.md, 40 MB

    Fix: split the file, or leave it out with `exclude` in `deck.toml`.
    """


class UnreadableSource(Rule, severity="error"):
    """A source cannot be read.

    Why: a build without its notes would retire them, and learners would be told that they are gone.

    For instance:

        a file without read permission, or a folder called notes.md

    Fix: make it a readable file, or let its name begin with `_` if it is not a source.
    """
