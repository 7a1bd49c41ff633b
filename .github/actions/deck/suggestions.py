"""Judges the suggestions in the issue of an event, and hands over a comment on them as the output `comment`.

It needs no token. What somebody wrote in the issue is only data: it comes from the file of the event, goes to
`ptcards inbox` in a file, and is never printed, because GitHub would run commands in what a step prints.
"""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

KEY = "ptcards-suggestion"
LONGEST = 64 << 10
"""The limit of an issue's text in bytes; GitHub accepts 65,536 characters."""
BEGIN = "What `ptcards inbox` says about the suggestions in this issue:\n\n"
TOO_LONG = "The text of this issue is longer than 64 kB, so its suggestions were not read.\n"
GONE = "This issue no longer has a suggestion.\n"


def main() -> None:
    """Write the output, which is empty if there is nothing to say."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    if event.get("action") not in ("opened", "edited"):
        print("::notice::suggestions are only judged when an issue is opened or edited")
        return
    # JSON can hold characters that no text in UTF-8 has.
    body = (event["issue"]["body"] or "").encode("utf-8", "replace").decode()
    before = event.get("changes", {}).get("body", {}).get("from") or ""
    if len(body.encode()) > LONGEST:
        comment = TOO_LONG if KEY in body else ""
    else:
        comment = _judged(event["issue"], body) if KEY in body else ""
    comment = comment or (GONE if KEY in before else "")
    # Nobody can guess the line that ends the output.
    end = secrets.token_hex(16)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"comment<<{end}\n{comment}\n{end}\n")
    with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
        summary.write(comment)


def _judged(issue: dict[str, object], body: str) -> str:
    """Return the comment about the suggestions for the collections of SOURCES; empty if there are none."""
    file = Path("ptcards-issues.json").absolute()
    known = {"number": issue["number"], "author": issue["user"], "body": body}
    file.write_text(json.dumps([known]), "utf-8")
    workspace = Path(os.environ["GITHUB_WORKSPACE"])
    sources = [workspace / line for line in os.environ["SOURCES"].splitlines() if line]
    said: dict[int, list[str]] = {}
    for folder in dict.fromkeys(_collection(source, workspace) for source in sources):
        # With -I, Python imports nothing from the current folder, which is the checkout.
        command = [sys.executable, "-I", "-m", "ptcards", "inbox", "--format", "markdown", folder, file]
        ran = subprocess.run(  # noqa: S603 - no shell
            command, cwd=workspace, capture_output=True, encoding="utf-8", check=False
        )
        if ran.returncode not in (0, 2) or (ran.returncode and not ran.stdout):
            _fail(ran.stderr)
        said.setdefault(ran.returncode, []).append(ran.stdout)
    # A suggestion is for one collection, and the others refuse it.
    found = [text for text in said.get(0, []) if text] or said.get(2, [])[:1]
    return BEGIN + "".join(found) if found else ""


def _collection(source: Path, workspace: Path) -> Path:
    """Return the folder with the deck.toml of a source."""
    above = (source, *source.parents)
    inside = [folder for folder in above if folder.is_relative_to(workspace)]
    return next((folder for folder in inside if (folder / "deck.toml").is_file()), source)


def _fail(said: str) -> None:
    """Print what `ptcards inbox` says about errors in the collection, and end the step."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{said}\n::{token}::")
    sys.exit("::error::the suggestions cannot be judged: the collection has errors")


if __name__ == "__main__":
    main()
