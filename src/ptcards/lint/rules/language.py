"""The language of a collection."""

from ptcards.lint.registry import Rule


class LanguageNotSet(Rule, severity="hint"):
    """Notes do not seem to be in English, and no language is set.

    Why: rules about wording only work for English, so they skip these notes. Fewer than 10% of the words in
    these notes are common English words.

    For instance:

        ## Was bedeutet TCP?

    Fix: set the language code, in `deck.toml` for all files or in the front matter of a single file. The code
    for English is `en`.

        language = "de"
    """


class NoLabels(Rule, severity="hint"):
    """There are no labels in the deck's language, so its cards show English labels.

    Why: ptcards puts a few words on cards: *Select all that apply*, *right*, *wrong*, *Details*, *Report a
    mistake*. They are in the language that `deck.toml` names, if ptcards has a translation.

    For instance:

        language = "pl"

    Fix: if English is fine, do nothing. To translate the labels, add a file for the language to
    `src/ptcards/notes/labels`.
    """
