"""Finds the pull request of a run, and takes what the run handed over as the artifact CHANGES into FOLDER.

Whoever opened the pull request may have written all of it, even the workflow of that run. So the number of
the pull request comes from GitHub, and of the artifact only files with the names that we expect are read, up
to limits. Nothing is unpacked by a program that could follow a link.
"""

import io
import json
import os
import re
import sys
import urllib.request
import zipfile
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

LARGEST = 40 << 20
"""The limit of the artifact in bytes, and of all files in it together."""
LARGEST_FILE = {".json": 8 << 20, ".png": 2 << 20}
MOST_FILES = 400
KNOWN = re.compile(
    r"check\.json|[1-9]/(diff\.json|pictures/(pictures\.json|[\w~-]{1,200}\.\d{1,3}\.(front|back)\.(before|now)(\.night)?\.png))"
)
"""Matches the names of files in the artifact that are read."""


def main() -> None:
    """Write the files, and the outputs `number` (of the pull request) and `open` (the numbers of all)."""
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))["workflow_run"]
    if run["event"] != "pull_request":
        _give_up("the run was not for a pull request")
    repository = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
    numbers: dict[int, dict[str, Any]] = {}
    page = 1
    while found := _json(f"{repository}/pulls?state=open&per_page=100&page={page}"):
        numbers |= {int(each["number"]): each["head"] for each in found}
        page += 1
    wanted = [number for number, head in numbers.items() if _is_of(head, run)]
    if len(wanted) != 1:
        _give_up(f"{len(wanted)} open pull requests end with the commit {run['head_sha']}")
    name = quote(os.environ["CHANGES"], safe="")
    artifacts = _json(f"{repository}/actions/runs/{int(run['id'])}/artifacts?name={name}")["artifacts"]
    if not artifacts:
        _give_up(f"the run has no artifact `{os.environ['CHANGES']}`")
    archive = _get(f"{repository}/actions/artifacts/{int(artifacts[0]['id'])}/zip")
    _unpack(archive, Path(os.environ["FOLDER"]))
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"number={wanted[0]}\nopen={' '.join(map(str, numbers))}\n")


def _is_of(head: dict[str, Any], run: dict[str, Any]) -> bool:
    """Whether a pull request has the branch and the commit of a run."""
    if not head["repo"] or not run["head_repository"]:  # the fork is gone
        return False
    of_head = head["repo"]["full_name"], head["ref"], head["sha"]
    return of_head == (run["head_repository"]["full_name"], run["head_branch"], run["head_sha"])


def _unpack(archive: bytes, folder: Path) -> None:
    """Write the files that we know into a new folder."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as found:
            known = [each for each in found.infolist() if KNOWN.fullmatch(each.filename)][:MOST_FILES]
            left = LARGEST
            for each in known:
                limit = min(left, LARGEST_FILE[Path(each.filename).suffix])
                with found.open(each) as packed:  # what an entry says about its size may be wrong
                    content = packed.read(limit + 1)
                if len(content) <= limit:
                    left -= len(content)
                    (folder / each.filename).parent.mkdir(parents=True, exist_ok=True)
                    (folder / each.filename).write_bytes(content)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as failure:
        _give_up(f"the artifact cannot be read: {type(failure).__name__}")


def _json(address: str) -> Any:
    return json.loads(_get(address))


def _get(address: str) -> bytes:
    """Return GitHub's answer, up to our limit; the server to which it sends us for a file gets no token."""
    request = urllib.request.Request(address, headers={"Accept": "application/vnd.github+json"})  # noqa: S310 - the runner names GitHub
    request.add_unredirected_header("Authorization", f"Bearer {os.environ['GITHUB_TOKEN']}")
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        content: bytes = answer.read(LARGEST + 1)
    if len(content) > LARGEST:
        _give_up(f"the artifact is larger than {LARGEST >> 20} MB")
    return content


def _give_up(reason: str) -> None:
    """Print why there is no comment, and end the step."""
    print(f"::notice::no comment on a pull request: {reason}")
    sys.exit()


if __name__ == "__main__":
    main()
