"""The colours of code in day and night mode.

This module defines two Pygments styles, and generates a part of `anki/code.css` from them. The style sheet is
a file, so that a new version of Pygments does not change what learners get. `python -m
ptcards.markdown.styles` rewrites the part below its marker, and a test keeps the two in sync.
"""

from pathlib import Path

from pygments.style import Style
from pygments.token import (
    STANDARD_TYPES,
    Comment,
    Error,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    Token,
    _TokenType,
)

HUES = {
    "comment": ("#59636e", "#9198a1"),
    "keyword": ("#cf222e", "#ff7b72"),
    "string": ("#0a3069", "#a5d6ff"),
    "constant": ("#0550ae", "#79c0ff"),
    "function": ("#6639ba", "#d2a8ff"),
    "tag": ("#116329", "#7ee787"),
    "class": ("#953800", "#ffa657"),
    "error": ("#a40e26", "#ffa198"),
}
"""The colours by name, each in day and night mode."""

TEXT = ("#1f2328", "#e6edf3")
"""The default colour, for names, operators and punctuation."""

MARKER = "/* The colours of tokens: everything below is generated. */\n"

_HUE_OF = {
    Comment: "comment",
    Comment.Preproc: "keyword",
    Comment.PreprocFile: "string",
    Keyword: "keyword",
    Keyword.Constant: "constant",
    Operator.Word: "keyword",
    Name.Attribute: "constant",
    Name.Builtin: "constant",
    Name.Constant: "constant",
    Name.Entity: "constant",
    Name.Label: "constant",
    Name.Class: "class",
    Name.Exception: "class",
    Name.Variable: "class",
    Name.Decorator: "function",
    Name.Function: "function",
    Name.Tag: "tag",
    Number: "constant",
    Literal.Date: "constant",
    String: "string",
    String.Escape: "constant",
    String.Interpol: "constant",
    String.Regex: "tag",
    Generic.Deleted: "error",
    Generic.Error: "error",
    Generic.Traceback: "error",
    Generic.Heading: "constant",
    Generic.Subheading: "constant",
    Generic.Inserted: "tag",
    Generic.Prompt: "comment",
}
_FACES = {Generic.Strong: "bold", Generic.Emph: "italic"}


def _styles(night: int) -> dict[_TokenType, str]:
    colours = {kind: HUES[hue][night] for kind, hue in _HUE_OF.items()}
    return {Token: TEXT[night], Error: TEXT[night], **colours, **_FACES}


class Day(Style):
    """Dark code on a light background."""

    background_color = "#f6f8fa"
    styles = _styles(0)


class Night(Style):
    """Light code on a dark background."""

    background_color = "#282c31"
    styles = _styles(1)


def is_styled(kind: _TokenType) -> bool:
    """Whether tokens of a standard kind look different from plain text."""
    return kind in _FACES or _colour(kind) != TEXT[0]


def _colour(kind: _TokenType) -> str:
    return f"#{Day.style_for_token(kind)['color']}"


def token_css() -> str:
    """Return the CSS rules for all kinds of tokens, with the colours of both styles as variables."""
    parts = []
    for selector, night in ((".card", 0), (".card.nightMode", 1)):
        variables = "".join(f"  --ptc-{name}: {colours[night]};\n" for name, colours in HUES.items())
        parts.append(f"{selector} {{\n{variables}}}\n")
    for name, (day, _) in HUES.items():
        classes = sorted(f".{short}" for kind, short in STANDARD_TYPES.items() if _colour(kind) == day)
        parts.append(f"pre.code :is({', '.join(classes)}) {{\n  color: var(--ptc-{name});\n}}\n")
    parts.append("pre.code .gs {\n  font-weight: bold;\n}\n")
    parts.append("pre.code .ge {\n  font-style: italic;\n}\n")
    return "\n".join(parts)


def main() -> None:
    """Write the colours to the style sheet in the source tree."""
    sheet = Path(__file__).parents[1] / "anki" / "code.css"
    layout = sheet.read_text("utf-8").partition(MARKER)[0]
    sheet.write_text(f"{layout}{MARKER}\n{token_css()}", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
