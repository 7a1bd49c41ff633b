"""The real Anki sync server on this computer, and its clients."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from anki.collection import Collection
from anki.sync_pb2 import SyncCollectionResponse

PATIENCE_SECONDS = 60
_USER, _PASSWORD = "learner", "secret"
_WHOLE = {
    SyncCollectionResponse.FULL_SYNC,
    SyncCollectionResponse.FULL_UPLOAD,
    SyncCollectionResponse.FULL_DOWNLOAD,
}


@contextmanager
def sync_server(folder: Path) -> Iterator[str]:
    """Run the server that comes with Anki, for this computer only; return its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "SYNC_USER1": f"{_USER}:{_PASSWORD}",
        "SYNC_HOST": "127.0.0.1",
        "SYNC_PORT": str(port),
        "SYNC_BASE": str(folder),
    }
    address = f"http://127.0.0.1:{port}/"
    with (folder.parent / "sync-server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "anki.syncserver"], env=environment, stdout=log, stderr=log
        )
        try:
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        assert server.poll() is None
        try:
            with urllib.request.urlopen(f"{address}health", timeout=1) as answer:
                assert answer.status == 200
                return
        except (URLError, TimeoutError):
            assert time.monotonic() < end, "the sync server does not answer"
            time.sleep(0.05)


def sync(collection: Collection, address: str, *, upload: bool = False) -> bool:
    """Sync like the desktop; return whether a full sync was needed, which goes up if `upload`."""
    auth = collection.sync_login(_USER, _PASSWORD, address)
    outcome = collection.sync_collection(auth, sync_media=False)
    whole = outcome.required in _WHOLE
    if whole:
        collection.close_for_full_sync()
        collection.full_upload_or_download(auth=auth, server_usn=outcome.server_media_usn, upload=upload)
        collection.reopen(after_full_sync=True)
    if not whole or not upload:
        # Python caches the note types.
        collection.models._clear_cache()
    collection.sync_media(auth)
    end = time.monotonic() + PATIENCE_SECONDS
    while collection.media_sync_status().active:
        assert time.monotonic() < end, "media are still syncing"
        time.sleep(0.02)
    return whole
