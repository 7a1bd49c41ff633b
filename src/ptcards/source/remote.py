"""The list of files that were downloaded from servers.

`media/remote.tsv` has an address and a path on each line.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from ptcards.files.inputs import InputError, read_input

FOLDER = "media"
LIST = f"{FOLDER}/remote.tsv"
_MAX_BYTES = 4 << 20
_LINE = re.compile(r"(?P<address>[^\t\n]+)\t(?P<path>[^\t\n]+)")


def read_list(root: Path) -> Mapping[str, str]:
    """Return the paths of a collection's downloaded files by their addresses.

    Invalid lines are ignored.
    """
    try:
        text = read_input(root / LIST, root, _MAX_BYTES).decode("utf-8-sig", "replace")
    except InputError:
        return {}
    found = map(_LINE.fullmatch, text.splitlines())
    return {each["address"]: each["path"] for each in found if each}


def list_lines(fetched: Mapping[str, str]) -> bytes:
    """Return the list as the content of its file."""
    return "".join(f"{address}\t{path}\n" for address, path in sorted(fetched.items())).encode()


def can_be_fetched(address: str) -> bool:
    """Whether `check --fix --fetch` downloads from an address: it needs no permission for the server."""
    return address.startswith("//") or address.lower().startswith("https:")


def is_remote(address: str) -> bool:
    """Whether an address names a server, or a scheme such as `data:`."""
    if ":" not in address and not address.startswith("//"):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:  # from brackets that are not an IPv6 address
        return True
    return bool(parts.scheme or parts.netloc)
