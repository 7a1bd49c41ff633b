"""The files and folders of a collection, and packages and other files to import."""

from ptcards.lint.registry import Rule


class ConflictMarker(Rule, severity="error or warning"):
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


class ControlCharacter(Rule, severity="warning"):
    """A file contains an invisible character.

    Why: Anki deletes control characters, and one of them (U+001F) makes it reject the entire import, so
    ptcards leaves them out. They usually come from text copied from a terminal or a PDF.

    When:

        a form feed between two chapters

    Fix: delete the character; the message says where it is.
    """


class LinkedFolder(Rule, severity="warning"):
    """A folder in the collection is a symbolic link and is not read.

    Why: a link can lead out of the collection or in a circle, and its target might not be under the same
    version control.

    For instance:

        cards/shared -> ../../other/cards

    Fix: move the folder into the collection. If it does not belong there, rename the link so that it begins
    with `_`.

        cards/_shared -> ../../other/cards
    """


class NestedCollection(Rule, severity="error"):
    """A collection is inside the folder of another one.

    Why: the sources of the inner collection would belong to both, and each note would have two identities.

    For instance:

        cards/deck.toml
        cards/advanced/deck.toml

    Fix: delete the inner `deck.toml` to make it part of the outer collection, or exclude its folder.

        exclude = ["advanced/"]
    """


class NotUtf8(Rule, severity="error"):
    """A file is not encoded in UTF-8.

    Why: ptcards cannot tell other encodings apart reliably, so every accented letter would be a guess.

    When:

        a file saved as Windows-1252, with an `é` in it

    Fix: save the file as UTF-8; the message names the first invalid byte.
    """


class OtherCase(Rule, severity="error"):
    """The name of a file differs from `deck.toml` or `deck.lock` only in case.

    Why: Windows and macOS treat both names as the same file, but Linux does not. The same collection would
    make two different decks.

    For instance:

        Deck.toml

    Fix: rename the file.

        deck.toml
    """


class OutsideCollection(Rule, severity="error"):
    """A file in the collection is a symbolic link to a place outside it.

    Why: through such a link, somebody else's collection could put your own files on its cards or show them in
    a build log. This applies to sources, `deck.toml`, `deck.lock` and the files that `css` and `macros` name.
    Links from one place in the collection to another are followed.

    For instance:

        ln -s ../../private/notes.md notes.md

    Fix: copy the file into the collection.

        cp ../../private/notes.md notes.md
    """


class SourceTooLarge(Rule, severity="error"):
    """A file is larger than 16 MB.

    Why: a file of questions is never that large. This one is most likely data or a picture with the wrong
    file name, and would take minutes to read.

    When:

        export.md, 40 MB

    Fix: split the file, or leave it out with `exclude` in `deck.toml`.

        exclude = ["export.md"]
    """


class UnreadableSource(Rule, severity="error"):
    """A source cannot be read.

    Why: a build without its notes would retire them, and learners would be told that these notes have been
    removed.

    When:

        a file without read permission, or a folder called notes.md

    Fix: make sure that it is a file that you can read. If it is not a source, rename it so that it begins
    with `_`.
    """


class NoPackage(Rule, severity="error"):
    """The file to import is not an Anki package.

    Why: an `.apkg` or `.colpkg` file is a zip file that contains a collection; this file is
    something else.

    When:

        a collection.anki2 copied out of Anki's folder, or a download page saved as deck.apkg

    Fix: in Anki, choose *File › Export*, and import the file that Anki writes.
    """


class NoSuggestions(Rule, severity="error"):
    """A file for the inbox contains no suggestion for this deck.

    Why: `ptcards inbox` reads a suggestion that the add-on wrote, a list of GitHub issues, or a package. The
    message says what is wrong. A block in an issue that is no suggestion is only a warning.

    When:

        a suggestion for another deck, or a list of issues without the field `body`

    Fix: name another file. `gh issue list --json number,title,body,author` prints issues as they are needed.
    """


class OtherDecks(Rule, severity="warning"):
    """A package for the inbox has nothing new for this collection.

    Why: none of its notes is in a deck of the collection, and none of the collection's notes was changed.

    When:

        the package of another deck

    Fix: export the deck in which the notes were changed, with *File › Export*.
    """


class DamagedPackage(Rule, severity="error"):
    """A package cannot be read completely.

    Why: part of the package is missing, or its database contains values of the wrong type. Importing the rest
    would silently lose notes.

    When:

        a download that stopped halfway

    Fix: download the package again, or import it into Anki and export the deck from there.
    """


class UnsafePackage(Rule, severity="error"):
    """A package unpacks to far more than any deck contains.

    Why: a few kilobytes can unpack to more than fits on a disk or in memory. An unpacked file may be at most
    1 GB and at most 200 times its packed size, and a package may contain at most 100,000 files. Its list of
    media may have 16 MB, its note types and decks 64 MB, or a million values, and a note 16 MB.

    When:

        a file of 1 MB in the package that unpacks to 5 GB

    Fix: do not open the package. If you made it yourself, import it into Anki and export the deck from there.
    """


class UnsafeName(Rule, severity="error"):
    """A media file in a package has a name that leads out of the media folder.

    Why: a file whose name contains a slash, a backslash or a control character could be written outside the
    folder. Nothing was unpacked.

    For instance:

        ../../.bashrc

    Fix: do not open the package. If it is your own, rename the file in Anki and export the deck again.
    """


class UnknownSchema(Rule, severity="error"):
    """The database of a package has a version that ptcards does not support.

    Why: the meaning of its tables may have changed. ptcards reads schemas 11 and 14 to 18, which cover all
    packages that Anki has written since 2012.

    When:

        a package of a later Anki, with schema 19

    Fix: update ptcards, or export the deck again with *Support older Anki versions* selected.
    """


class SeveralDecks(Rule, severity="error"):
    """A package contains several top-level decks, but a collection has only one.

    Why: the name of the top-level deck becomes the name of the collection.

    When:

        the export of an entire Anki collection: Geography, Music, Default

    Fix: choose the deck to import with `--deck`, and import the others into separate folders. To import
    several decks into one collection, or all of them, give it a name with `--name`: it becomes the deck above
    them.

        ptcards import collection.apkg --deck Geography
    """


class UnknownDeck(Rule, severity="error"):
    """The deck to import is not in the package, or contains no notes.

    Why: deck names must match exactly, with every level, joined by `::`.

    For instance, if the deck is called `Geography::Capitals`:

        ptcards import geo.apkg --deck capitals

    Fix: write the name with all its levels, as Anki shows it.

        ptcards import geo.apkg --deck Geography::Capitals
    """


class NotEmpty(Rule, severity="error"):
    """The folder to import into is not empty.

    Why: an import writes a new collection. Importing twice into the same folder would mix two decks.

    For instance, if `geography/` has a `deck.toml`:

        ptcards import geo.apkg geography

    Fix: name an empty folder, or one that does not exist yet.

        ptcards import geo.apkg new-geography
    """


class NoIdentity(Rule, severity="warning"):
    """The imported file has no GUIDs from an Anki deck.

    Why: Markdown and Anki's text export do not name the note type that learners have, and learners cannot
    keep their reviews without it. The collection becomes a new deck.

    For instance:

        ptcards import vault/ --from obsidian

    Fix: if nobody has the deck yet, do nothing. Otherwise, export the deck from Anki and import that package.
    """


class HtmlAsText(Rule, severity="warning"):
    """The fields of an imported table look like HTML, but are read as text.

    Why: `import` keeps what a plain table contains, so that `a < b` stays as it is; learners see the tags on
    the card. Anki's own export says in a line whether its fields are HTML.

    For instance:

        question,answer
        What is a leaf?,A tensor of the <b>user</b>

    Fix: add Anki's line for it, and import again. If the tags are meant as text, `#html:false` says so.

        #html:true
        question,answer
        What is a leaf?,A tensor of the <b>user</b>
    """


class UnsureDialect(Rule, severity="error"):
    """It is unclear how the cards in a Markdown file are written.

    Why: in the wrong dialect, text would become cards and cards would become text.

    When:

        a list of bold questions, which may be headings as well

    Fix: look at the file, and run the command that the message suggests. `--dry-run` shows what would be
    imported.
    """


class NoColumns(Rule, severity="error"):
    """It is unclear which column of a table is the question and which is the answer.

    Why: only the column names in the first row tell them apart. Anki's own text export names the columns in
    lines that begin with `#`.

    For instance:

        country,capital
        France,Paris

    Fix: name two columns `question` and `answer` (or `front` and `back`). Columns named `tags` and `deck` are
    also recognised. Any other column goes into the details, under its name.

        question,answer
        France,Paris
    """


class NoReviews(Rule, severity="warning"):
    """A package contains no reviews of the notes in these sources.

    Why: `ptcards reviews` reads the review log of a package, which Anki only writes if you ask for it. Notes
    are matched by GUID, so the sources must be those of the deck in the package.

    For instance, with a package that `ptcards build` wrote:

        ptcards reviews deck.apkg

    Fix: in Anki, choose *File › Export* with *Include scheduling information*, and run the command in the
    folder of the deck.
    """
