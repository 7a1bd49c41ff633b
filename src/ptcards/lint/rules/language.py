"""The language of a collection."""

from ptcards.lint.registry import Rule


class LanguageNotSet(Rule, severity="hint"):
    """Notes do not seem to be in English, and no language is set.

    Why: advice on wording only works for English, so it is silent on these notes. Fewer than 10 % of their
    words are common English words.

    For instance:

        ## Was bedeutet TCP?

    Fix: set the language code, in `deck.toml` for all files or in a file's front matter; `en` is English.

        language = "de"
    """


class NoLabels(Rule, severity="hint"):
    """There are no labels in the deck's language, so its cards show English ones.

    Why: ptcards puts a few words on cards: *Select all that apply*, *right*, *wrong*, *Details*, *Report a
    mistake*. They are in the language that `deck.toml` names, if they have been translated.

    For instance:

        language = "pl"

    Fix: if English is fine, do nothing. To add a language, write its file in
    `src/ptcards/notes/labels`.
    """
