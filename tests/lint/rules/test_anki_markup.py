"""The rule `anki-markup`."""

from rules import table

test_advice = table(
    # Code, and brackets that mean nothing to Anki.
    ("## Which is it?\n\n`[sound:a.mp3]` and [sound] and [latexmk] and [$5] and [latex]\n", []),
    (
        "## Which is it?\n\n[sound:a.mp3] and [latex]x^2[/latex] and [$]x[/$] and [[type:Answer]]\n",
        [
            "3:1+13 warning: `[sound:a.mp3]` is shown literally",
            "3:19+7 warning: `[latex]` is shown literally",
            "3:55+15 warning: `[[type:Answer]]` is shown literally",
        ],
    ),
)
