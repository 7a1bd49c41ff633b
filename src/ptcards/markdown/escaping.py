"""Text that Anki shows as it is: what its templates, importer and MathJax would read is taken apart.

While a field is built, a deletion is marked by control characters, which no text holds after `clean`;
`finish` turns the marks into Anki's braces when all else is done. What Anki reads is said in docs/anki.md.
"""

import re
import unicodedata

from markdown.util import AMP_SUBSTITUTE

_CONTROLS = {code: None for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n"} | {0: "\ufffd"}
_CONTROL = re.compile("[" + re.escape("".join(map(chr, _CONTROLS))) + "]")
_BRACKET = re.compile(r"\[(?=sound:|/?\$|/?latex\]|\[type:|anki:)", re.IGNORECASE)
_DELETION = re.compile("\x02c([0-9]+)\x03(.*?)\x02h(.*?)\x03", re.DOTALL)
_BRACES = re.compile(r"\{\{(?=c[0-9]+(?:,[0-9]+)*::)", re.IGNORECASE)
_CLOSING_BRACE = re.compile(r"\}(?=\}|\Z)")


def clean(text: str) -> str:
    """Return a text without control characters: Anki drops them, and refuses a package for one of them."""
    return text.translate(_CONTROLS) if _CONTROL.search(text) else text


def literal(text: str) -> str:
    """Clean a text for the element tree, whose serializer would leave `&amp;` in it an entity."""
    return clean(text).replace("&", f"{AMP_SUBSTITUTE}amp;")


def begin_deletion(number: int) -> str:
    """Mark where a deletion begins."""
    return f"\x02c{number}\x03"


def end_deletion(hint: str = "") -> str:
    """Mark where a deletion ends; the hint is text or HTML like what is around."""
    return f"\x02h{hint}\x03"


def finish(html: str) -> str:
    """Make a field's HTML safe from Anki's own syntax, and marked deletions Anki's deletions.

    `[sound:`, `[$]`, `[latex]`, `[[type:` are read in any field, code included (docs/anki.md, Brackets);
    `{{c1::` in any field of a cloze note. In a deletion the first `}}` ends it and the first `::` begins its
    hint (docs/anki.md, Deletions).
    """
    html = _BRACKET.sub("&#91;", html)
    html = _BRACES.sub("{&#123;", html)
    html = _DELETION.sub(_deletion, html)
    # U+0338 would melt with the `>` of a tag into one character under NFC (docs/anki.md, Characters).
    return unicodedata.normalize("NFC", html.replace(">\u0338", ">&#824;"))


def _deletion(match: re.Match[str]) -> str:
    number, text, hint = match.groups()
    text = text.replace("::", ":&#58;")
    if hint:
        # A colon at the text's end would make `:::` with the divider.
        text = re.sub(r":\Z", "&#58;", text) + "::" + hint.replace("::", ":&#58;")
    # Nor may braces stand together, inside or with those at the end.
    text = _CLOSING_BRACE.sub("&#125;", text)
    return f"{{{{c{number}::{text}}}}}"
