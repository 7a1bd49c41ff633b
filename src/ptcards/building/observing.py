"""What a finished build rested on, as facts for its manifest."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from ptcards.building.compiled import CompiledCollection
from ptcards.building.manifest import Facts, Shown, file_digest, listing
from ptcards.collection import Collection, find_collections
from ptcards.config import read_toml
from ptcards.identity.lock import Lock, lock_lines


def observe(
    paths: Sequence[Path],
    compiled: Sequence[CompiledCollection],
    locks: Sequence[str],
    outputs: Sequence[Path],
) -> Facts | None:
    """Give the facts that a build of these SOURCEs rested on; None if it cannot be said for certain.

    `locks` is the digest of what each collection's lock holds now. What was read long ago is compared with what is there now, so that a change
    meanwhile is not taken for what was built.
    """
    collections = [each.collection for each in compiled]
    try:
        files: dict[str, str] = {}
        for each, lock in zip(compiled, locks, strict=True):
            if len(each.sources) != len(each.collection.sources) or not each.collection.configured:
                return None
            files |= {str(source.source.file): source.digest for source in each.sources}
            files |= {str(file): file_digest(file) for file in _settings(each.collection)}
            files[str(each.collection.root / "deck.lock")] = lock
        media = [shown for each in compiled for shown in _media(each)]
        if any(shown is None for shown in media):
            return None
        facts = Facts(
            {str(collection.root): listing(str(collection.root)) for collection in collections},
            files,
            tuple(dict.fromkeys(shown for shown in media if shown is not None)),
            {str(path.absolute()): file_digest(path) for path in outputs},
        )
    except OSError:
        return None
    return facts if list(find_collections(paths, read=False)[0]) == collections else None


def _settings(collection: Collection) -> Iterator[Path]:
    """Give `deck.toml` and the file of its `css`."""
    toml = collection.root / "deck.toml"
    yield toml
    _, document, _ = read_toml(toml, "")
    if document and document.get("css"):
        yield collection.root / document["css"]


def _media(compiled: CompiledCollection) -> Iterator[Shown | None]:
    for source in compiled.sources:
        folder = str(source.source.file.parent)
        for address, media in source.media:
            places = tuple(os.path.join(folder, name) for name in (address, unquote(address)))  # noqa: PTH118 - as they are looked for
            yield Shown(places, os.path.realpath(media.file), media.digest) if media else None


def lock_digest(lock: Lock) -> str:
    """Digest a lock as `file_digest` does the file that holds it."""
    digest = hashlib.sha256()
    for line in lock_lines(lock):
        digest.update(line.encode())
    return digest.hexdigest()
