"""`verify` without its sandbox, for tests of its findings; these tests do not need bubblewrap."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from conftest import Ran

NOTICE = "no sandbox: the code can read and change your files, start programs and use the network\n"


def verify_unsandboxed(ptcards: Callable[..., Ran], *arguments: str | Path, cache: Path) -> Ran:
    """Return the result of `ptcards verify --no-sandbox`, without the warning about the missing sandbox."""
    ran = ptcards("verify", "--no-sandbox", *arguments, env={"XDG_CACHE_HOME": str(cache)})
    return replace(ran, err=ran.err.removeprefix(NOTICE))
