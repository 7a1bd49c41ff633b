"""`verify` without its sandbox: for tests of what it finds, which need no bubblewrap."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from conftest import Ran

NOTICE = "no sandbox: the code can read and change your files, start programs and use the network\n"


def verify_unsandboxed(ptcards: Callable[..., Ran], *arguments: str | Path, cache: Path) -> Ran:
    """Return what `ptcards verify --no-sandbox` gives, less the line that says so."""
    ran = ptcards("verify", "--no-sandbox", *arguments, env={"XDG_CACHE_HOME": str(cache)})
    return replace(ran, err=ran.err.removeprefix(NOTICE))
