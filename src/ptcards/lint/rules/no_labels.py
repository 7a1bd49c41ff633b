from ptcards.lint.registry import Rule


class NoLabels(Rule, severity="hint"):
    """There are no labels in the deck's language, so its cards show English ones.

    Why: ptcards puts a few words on cards: *Select all that apply*, *right*, *wrong*, *Details*, *Report a
    mistake*. They are in the language that `deck.toml` names, if they have been translated.

    For instance:

        language = "pl"

    Fix: if English is fine, do nothing. To add a language, write its file in
    `src/ptcards/notes/labels`.
    """
