"""Escapes text so that Anki's templates, its importer and MathJax show it literally.

While a field is built, deletions are marked with control characters, which no text contains after `clean`.
Finally, `finish` turns the marks into Anki's braces. docs/anki.md describes what Anki interprets.
"""

import re
import unicodedata

from markdown.util import AMP_SUBSTITUTE

from ptcards.notes.notetypes import BRACKET

_CONTROLS = {code: None for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n"} | {0: "\ufffd"}
_AMPERSAND = f"{AMP_SUBSTITUTE}amp;"
_CONTROL = re.compile("[" + re.escape("".join(map(chr, _CONTROLS))) + "]")
_DELETION = re.compile("\x02c([0-9]+)\x03(.*?)\x02h(.*?)\x03", re.DOTALL)
_BRACES = re.compile(r"\{\{(?=c[0-9]+(?:,[0-9]+)*::)", re.IGNORECASE)
_CLOSING_BRACE = re.compile(r"\}(?=\}|\Z)")


def clean(text: str) -> str:
    """Return a text without control characters, because Anki drops them, and one of them breaks imports."""
    return text if text.isprintable() or not _CONTROL.search(text) else text.translate(_CONTROLS)


def literal(text: str) -> str:
    """Return text for the element tree: cleaned, and with `&` escaped, as Python-Markdown keeps entities."""
    return (text if text.isprintable() else clean(text)).replace("&", _AMPERSAND)


def begin_deletion(number: int) -> str:
    """Return the mark for the start of a deletion."""
    return f"\x02c{number}\x03"


def end_deletion(hint: str = "") -> str:
    """Return the mark for the end of a deletion; the hint is text or HTML, like its surroundings."""
    return f"\x02h{hint}\x03"


def finish(html: str) -> str:
    """Return a field's HTML with Anki's own syntax escaped and marked deletions in Anki's form.

    Anki interprets `[sound:`, `[$]`, `[latex]` and `[[type:` in any field, even in code (docs/anki.md,
    Brackets), and `{{c1::` in any field of a cloze note. The first `}}` ends a deletion, and the first `::`
    begins its hint (docs/anki.md, Deletions).
    """
    html = BRACKET.sub("&#91;", html) if "[" in html else html
    html = _BRACES.sub("{&#123;", html) if "{{" in html else html
    html = _DELETION.sub(_deletion, html) if "\x02" in html else html
    # NFC would merge U+0338 and the `>` of a tag into one character (docs/anki.md, Characters).
    return unicodedata.normalize("NFC", html.replace(">\u0338", ">&#824;"))


def _deletion(match: re.Match[str]) -> str:
    number, text, hint = match.groups()
    text = text.replace("::", ":&#58;")
    if hint:
        # A colon at the end of the text would form `:::` with the divider.
        text = re.sub(r":\Z", "&#58;", text) + "::" + hint.replace("::", ":&#58;")
    # Braces must not touch each other or the closing braces.
    text = _CLOSING_BRACE.sub("&#125;", text)
    return f"{{{{c{number}::{text}}}}}"
