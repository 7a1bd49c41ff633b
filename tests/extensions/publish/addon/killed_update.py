"""Updates a followed deck and kills itself: after so many operations of Anki, or after so many seconds.

`python killed_update.py PROFILE DIST WORK operations|seconds NUMBER`; it ends with 0 if it was not killed.
"""

import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

from anki.collection import Collection

from addon.collection import Choices, apply_update
from anki_backend import learner
from following import TITLE, source_of


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def after_operations(most: int) -> None:
    """Die when Anki is asked to merge one more operation into the undo step."""
    merge, count = Collection.merge_undo_entries, 0

    def counted(col: Collection, target: int) -> Any:
        nonlocal count
        count += 1
        if count > most:
            die()
        return merge(col, target)

    Collection.merge_undo_entries = counted


def after_seconds(seconds: float) -> None:
    def wait() -> None:
        time.sleep(seconds)
        die()

    Thread(target=wait, daemon=True).start()


def main() -> None:
    profile, dist, work, kind, number = sys.argv[1:]
    source = source_of(Path(dist))
    with learner(Path(profile)) as col:
        if kind == "operations":
            after_operations(int(number))
        else:
            after_seconds(float(number))
        file = Path(dist) / source.feed.package.url
        apply_update(col, source, file, Choices(), work=Path(work), title=TITLE)
    os._exit(0)


if __name__ == "__main__":
    main()
