from ptcards.lint.registry import Rule


class LanguageNotSet(Rule, severity="hint"):
    """Notes look like another language than English, and no language is set.

    Why: advice on wording knows English only, so it says nothing about these notes. Of their words, fewer than ten in a
    hundred are among the most frequent English ones.

    For instance:

        ## Was bedeutet TCP?

    Fix: set the language by its code, for all files in `deck.toml` or for one in its front matter; `en` for English.

        language = "de"
    """
