"""Differences between two Markdown texts, word by word."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MOST_WORDS = 2000
"""Words of a changed passage up to which single words are compared: the time grows with the square."""
_TOKEN = re.compile(r"\s*\S+")


def word_diff(old: str, new: str) -> str:
    """Show the changed lines of a text, with `[-words-]` that went and `{+words+}` that came.

    Lines between that are as before are shown as one line `…`.
    """
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    passages = []
    for tag, i1, i2, j1, j2 in _opcodes(before, after):
        if tag == "equal":
            passages.append("…")
        else:
            passages.append(_passage("\n".join(before[i1:i2]), "\n".join(after[j1:j2])))
    if passages[:1] == ["…"]:
        passages.pop(0)
    if passages[-1:] == ["…"]:
        passages.pop()
    return "\n".join(passages)


def _opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    yield from SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _passage(old: str, new: str) -> str:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) + len(after) > MOST_WORDS:
        return _gone(old) + "\n" + _come(new)
    marked: list[str] = []
    # White space is no change: a paragraph wrapped otherwise says the same.
    for tag, i1, i2, j1, j2 in _opcodes([word.strip() for word in before], [word.strip() for word in after]):
        if tag == "equal":
            kept = "".join(after[j1:j2])
            # The first word has no space before it, also where words that went stand there now.
            marked.append(f" {kept}" if marked and not kept[0].isspace() else kept)
        else:
            marked.append(_gone("".join(before[i1:i2])) + _come("".join(after[j1:j2])))
    return "".join(marked)


def _gone(text: str) -> str:
    return _marked(text, "[-", "-]")


def _come(text: str) -> str:
    return _marked(text, "{+", "+}")


def _marked(text: str, begin: str, end: str) -> str:
    """Put marks around a text, its leading white space left outside."""
    words = text.lstrip()
    return f"{text[: len(text) - len(words)]}{begin}{words}{end}" if words else ""
