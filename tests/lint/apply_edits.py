"""Applies the edits of `ptcards check --format json`, as a program that knows nothing else of ptcards."""

import json
import re
import sys
from pathlib import Path

found = json.load(sys.stdin)
edits: dict[str, set[tuple[int, int, int, int, str]]] = {}
for finding in found["findings"]:
    for fix in finding["fixes"]:
        edits.setdefault(finding["path"], set()).update(tuple(edit.values()) for edit in fix["edits"])
for path, changes in edits.items():
    content = Path(path).read_bytes()
    mark, text = content[:3] * content.startswith(b"\xef\xbb\xbf"), content.decode("utf-8-sig")
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    for line, column, end_line, end_column, new in sorted(changes, reverse=True):
        start, end = starts[line - 1] + column - 1, starts[end_line - 1] + end_column - 1
        text = text[:start] + new + text[end:]
    Path(path).write_bytes(mark + text.encode())
