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
