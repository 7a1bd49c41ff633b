"""The file `deck.toml`."""

from ptcards.lint.registry import Rule


class BrokenDeckToml(Rule, severity="error"):
    """`deck.toml` cannot be read.

    Why: without it neither the decks' names nor the identity of the collection are known, so nothing can be
    built.

    For instance:

        name = PyTorch

    Fix: it is TOML (https://toml.io): put texts in quotes, lists in brackets, tables under `[name]`.

        name = "PyTorch"
    """


class MissingCss(Rule, severity="error"):
    """The CSS file that `deck.toml` names is not there, lies outside the collection or is not UTF-8.

    Why: it is appended to the style of all cards, so a build without it would look different.

    For instance:

        css = "styles.css"

    Fix: name a file inside the collection's folder.
    """


class MissingKey(Rule, severity="error"):
    """`deck.toml` lacks a key that it must have.

    Why: `name` is how Anki finds the decks again, `id` how it finds the notes and their reviews.

    For instance:

        a `deck.toml` with only `name = "PyTorch"`

    Fix: add the key. An id is written by `ptcards init` in the collection's folder; it never changes again.
    """


class NoDeckToml(Rule, severity="warning", elsewhere=True):
    """The notes are built without a `deck.toml`.

    Why: without one there is no `deck.lock`, so nothing remembers which note is which. Rewording a question
    makes a new note, and the learner's reviews stay with the old one.

    For instance:

        ptcards build notes.md

    Fix: run `ptcards init` in the folder before you share the deck.
    """
