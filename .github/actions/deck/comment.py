"""Posts TEXT, or the file REPORT, as a comment on the pull request or issue NUMBER; KIND says which it is.

It replaces the comment of an earlier run with the same NAME.
"""

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

LONGEST = 60_000
"""The limit in characters; GitHub accepts 65,536."""


def main() -> None:
    """Write the comment, or report why this is not possible, as in a pull request from a fork."""
    text = os.environ.get("TEXT") or Path(os.environ["REPORT"]).read_text("utf-8")
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n\nThe rest is in the job summary.\n"
    mark = f"<!-- ptcards {os.environ['NAME']} -->\n"
    comments = f"/issues/{os.environ['NUMBER']}/comments"
    try:
        earlier = _earlier(comments, mark)
        if earlier is None:
            _ask("POST", comments, {"body": mark + text})
        else:
            _ask("PATCH", f"/issues/comments/{earlier}", {"body": mark + text})
    except urllib.error.HTTPError as refusal:
        kind = os.environ["KIND"]
        print(f"::notice::no comment on the {kind}: {refusal}; grant `{kind.replace(' ', '-')}s: write`")


def _earlier(comments: str, mark: str) -> int | None:
    """Return the number of the comment that begins with the mark, or `None`."""
    page = 1
    while found := _ask("GET", f"{comments}?per_page=100&page={page}"):
        for comment in found:
            is_ours = (comment["user"] or {}).get("type") == "Bot"  # there is no user whose account is gone
            if is_ours and (comment["body"] or "").startswith(mark.strip()):
                return int(comment["id"])
        page += 1
    return None


def _ask(method: str, path: str, sent: dict[str, str] | None = None) -> Any:
    """Return GitHub's answer to a request about the repository."""
    request = urllib.request.Request(  # noqa: S310 - the runner names GitHub
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}{path}",
        json.dumps(sent).encode() if sent else None,
        {"Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


if __name__ == "__main__":
    main()
