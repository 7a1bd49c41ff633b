"""The file `deck.toml`."""

from ptcards.lint.registry import Rule


class BrokenDeckToml(Rule, severity="error"):
    """`deck.toml` cannot be read.

    Why: it contains the name of the top-level deck and the id of the collection; nothing can be built without
    them.

    For instance:

        name = PyTorch

    Fix: correct the TOML syntax (https://toml.io): text goes in quotes, lists go in brackets, and tables
    begin with `[name]`.

        name = "PyTorch"
    """


class EmptyLicense(Rule, severity="warning"):
    """`license` in `deck.toml` is empty.

    Why: an imported deck has an author, and `ptcards import` cannot know what the author allows. Without a
    licence, nobody may share or change the deck.

    For instance:

        license = ""

    Fix: write the licence that the author gave the deck. If the deck is your own, choose a licence or remove
    the line.

        license = "CC BY 4.0"
    """


class MissingCss(Rule, severity="error"):
    """The CSS file that `deck.toml` names is missing, outside the collection or not UTF-8.

    Why: this file is part of the style of every card, so the cards would look different without it.

    For instance:

        css = "styles.css"

    Fix: name a file inside the collection's folder.
    """


class MissingDescription(Rule, severity="error"):
    """The HTML file that `description` names is missing, outside the collection or not UTF-8.

    Why: Anki shows the description above the deck's buttons. A description that is a single word ending in
    `.html` is the name of a file; any other description is Markdown.

    For instance:

        description = "about.html"

    Fix: name a file inside the collection's folder, or write the description itself in `deck.toml`.
    """


class MissingKey(Rule, severity="error"):
    """`deck.toml` lacks a required key.

    Why: on an update, Anki finds the decks by `name`, and the notes with their reviews by `id`.

    For instance:

        a `deck.toml` with only `name = "PyTorch"`

    Fix: add the key. To write an id, run `ptcards init` in the collection's folder. The id must never change
    again.
    """


class NoDeckToml(Rule, severity="warning", elsewhere=True):
    """The notes are built without a `deck.toml`.

    Why: without one, there is no `deck.lock` to remember which note is which. If you reword a question, it
    becomes a new note, and the learners' reviews stay with the old one.

    For instance:

        ptcards build notes.md

    Fix: run `ptcards init` in the folder before you share the deck.
    """
