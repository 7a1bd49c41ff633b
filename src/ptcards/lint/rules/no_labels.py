from ptcards.lint.registry import Rule


class NoLabels(Rule, severity="hint"):
    """The deck's language has no labels, so its cards show English ones.

    Why: cards show a few words of ours: *Select all that apply*, *right*, *wrong*, *Details*, *Report a
    mistake*. They are in the language that `deck.toml` names, if somebody wrote them in it.

    For instance:

        language = "pl"

    Fix: if English will do for them, do nothing. To add a language, write its file in
    `src/ptcards/notes/labels`.
    """
