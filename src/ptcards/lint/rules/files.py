"""The files and folders of a collection."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from ptcards.diagnostics import Diagnostic, Location
from ptcards.files.inputs import find_root
from ptcards.files.names import not_on_windows
from ptcards.lint.message import Message
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.source.media import BY_NAME


class ConflictMarker(Message, severity="error or warning"):
    """A merge in git is not finished: a file still contains both versions of a text.

    Why: the markers and both versions would be on the card. In a block of code, which may show what a merge
    looks like, it is a warning.

    For instance:

        <<<<<<< HEAD
        It returns a view.
        =======
        It returns a copy.
        >>>>>>> review

    Fix: keep the right text and delete the lines with the markers. Until then, everything else in the file
    is checked as if you kept the first version.

        It returns a view.
    """


class ControlCharacter(Message, severity="warning"):
    """A file contains an invisible character.

    Why: Anki deletes control characters, and one of them (U+001F) makes it reject the entire import, so
    ptcards leaves them out. They usually come from text copied from a terminal or a PDF.

    When:

        a form feed between two chapters

    Fix: delete the character; the message says where it is.
    """


class LinkedFolder(Message, severity="warning"):
    """A folder in the collection is a symbolic link and is not read.

    Why: a link can lead out of the collection or in a circle, and its target might not be under the same
    version control.

    For instance:

        cards/shared -> ../../other/cards

    Fix: move the folder into the collection. If it does not belong there, rename the link so that it begins
    with `_`.

        cards/_shared -> ../../other/cards
    """


class NestedCollection(Message, severity="error"):
    """A collection is inside the folder of another one.

    Why: the sources of the inner collection would belong to both, and each note would have two identities.

    For instance:

        cards/deck.toml
        cards/advanced/deck.toml

    Fix: delete the inner `deck.toml` to make it part of the outer collection, or exclude its folder.

        exclude = ["advanced/"]
    """


class NotUtf8(Message, severity="error"):
    """A file is not encoded in UTF-8.

    Why: ptcards cannot tell other encodings apart reliably, so every accented letter would be a guess.

    When:

        a file saved as Windows-1252, with an `é` in it

    Fix: save the file as UTF-8; the message names the first invalid byte.
    """


class OtherCase(Message, severity="error"):
    """The name of a file differs from `deck.toml` or `deck.lock` only in case.

    Why: Windows and macOS treat both names as the same file, but Linux does not. The same collection would
    make two different decks.

    For instance:

        Deck.toml

    Fix: rename the file.

        deck.toml
    """


class OutsideCollection(Message, severity="error"):
    """A file in the collection is a symbolic link to a place outside it.

    Why: through such a link, somebody else's collection could put your own files on its cards or show them in
    a build log. This applies to sources, `deck.toml`, `deck.lock` and the files that `css` and `macros` name.
    Links from one place in the collection to another are followed.

    For instance:

        ln -s ../../private/notes.md notes.md

    Fix: copy the file into the collection.

        cp ../../private/notes.md notes.md
    """


class SourceTooLarge(Message, severity="error"):
    """A file is larger than 16 MB.

    Why: a file of questions is never that large. This one is most likely data or a picture with the wrong
    file name, and would take minutes to read.

    When:

        export.md, 40 MB

    Fix: split the file, or leave it out with `exclude` in `deck.toml`.

        exclude = ["export.md"]
    """


class UnreadableSource(Message, severity="error"):
    """A source cannot be read.

    Why: a build without its notes would retire them, and learners would be told that these notes have been
    removed.

    When:

        a file without read permission, or a folder called notes.md

    Fix: make sure that it is a file that you can read. If it is not a source, rename it so that it begins
    with `_`.
    """


class WindowsName(Rule, severity="hint"):
    r"""Windows cannot have a file or folder with this name.

    Why: git cannot write it there, so nobody with Windows can clone the collection. Windows refuses
    `<>:"|?*\` in names, drops a dot or a blank at the end, and reserves the names of devices, such as `con`,
    `aux.md` and `com1`. If nobody uses Windows, write `ignore = ["windows-name"]` below `[check]` in
    `deck.toml`.

    For instance:

        ![The loss](loss:epoch-1.png)

    Fix: rename the file.

        ![The loss](loss-epoch-1.png)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the note names such a file."""
        for media in note.note.media:
            if not_on_windows(unquote(media.written.removeprefix(BY_NAME)).split("/")):
                place = note.place_of(media.written)
                yield self._report(place, media.file.name, len(media.written))

    def check_text(self, path: str, _text: str) -> Iterator[Diagnostic]:
        """Report a source with such a name; an absolute path begins outside the collection."""
        file = Path(path)
        inside = file.relative_to(find_root(file.parent)) if file.is_absolute() else file
        if name := not_on_windows(inside.parts):
            yield self._report(Location(path, 1), name, 1)

    def _report(self, place: Location, name: str, length: int) -> Diagnostic:
        return self.report(
            place, f"Windows cannot have a file or folder called `{name}`", "rename it", length
        )


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
