"""The rule `no-source`."""

from rules import QUESTION, table

test_advice = table(
    # A section or a link.
    (f"{QUESTION}Yes.\n\n### Sources\n\n- The manual\n", []),
    (f"{QUESTION}See <https://example.org>.\n", []),
    (f"{QUESTION}See [it].\n\n[it]: https://example.org\n", []),
    # A cloze that is its own heading.
    ("## It is {{c1::dense}}.\n", ["1:4+20 hint: this note names no source"]),
    (f"{QUESTION}Yes.\n", ["1:4+32 hint: this note names no source"]),
)
