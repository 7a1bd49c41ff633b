"""From the author's files through the real Anki sync server to a learner's second computer, and back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection
from anki.scheduler_pb2 import CardAnswer

from anki_backend import answer, assert_healthy, cards_of, deck_counts, import_package, learner, notes_by_guid
from conftest import Ran
from syncing import sync, sync_server

PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


def source(answer: str, *more: str) -> str:
    notes = [
        f"## What is a leaf?\n<!-- card: id=leaf -->\n\n{answer}\n",
        "## What else?\n<!-- card: id=else -->\n\nThis.\n",
        *more,
    ]
    return "# Autograd\n\n" + "\n".join(notes)


def progress(collection: Collection) -> tuple[list[object], list[object]]:
    """Return the schedule of every card and every review."""
    assert collection.db is not None
    cards = collection.db.all(
        "select id, did, type, queue, due, ivl, factor, reps, lapses from cards order by id"
    )
    return cards, collection.db.all(
        "select id, cid, ease, ivl, lastIvl, factor, type from revlog order by id"
    )


def texts(collection: Collection) -> dict[str, tuple[str, ...]]:
    return {guid: (*note.fields, *note.tags) for guid, note in notes_by_guid(collection).items()}


def media(collection: Collection) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(collection.media.dir()).iterdir()}


@pytest.mark.slow
def test_an_update_and_a_review_made_elsewhere_meet_over_a_sync_server(
    ptcards: Callable[..., Ran], write: Callable[..., Path], tmp_path: Path
) -> None:
    packages = []
    for release, text in enumerate(
        (
            source("A tensor."),
            source(
                "A tensor of the *user*. ![l](leaf.svg)", "## A third?\n<!-- card: id=third -->\n\nYes.\n"
            ),
        )
    ):
        write(
            {
                "cards/deck.toml": 'name = "PyTorch"\nid = "pt"\n',
                "cards/a.md": text,
                "cards/leaf.svg": PICTURE,
            }
        )
        out = tmp_path / f"release{release}"
        clock = {"SOURCE_DATE_EPOCH": str(1_700_000_000 + release)}
        assert ptcards("build", tmp_path / "cards", "-o", out, "-q", env=clock).status == 0
        packages.append(out / "pytorch.apkg")
    (tmp_path / "server").mkdir()
    with (
        sync_server(tmp_path / "server") as address,
        learner(tmp_path / "desktop") as desktop,
        learner(tmp_path / "phone") as phone,
    ):
        assert import_package(desktop, packages[0]) == {"new": 2}
        guids = {note["Question"]: guid for guid, note in notes_by_guid(desktop).items()}
        leaf = guids['<p class="heading">What is a leaf?</p>']
        assert sync(desktop, address, upload=True)
        assert sync(phone, address)
        assert texts(phone) == texts(desktop)

        answer(phone, cards_of(phone, leaf)[0].id, CardAnswer.GOOD)
        studied = progress(phone)
        assert len(studied[1]) == 1
        assert not sync(phone, address)

        assert import_package(desktop, packages[1]) == {"new": 1, "updated": 1, "duplicate": 1}
        assert not sync(desktop, address)
        assert not sync(phone, address)

        assert texts(phone) == texts(desktop)
        assert "A tensor of the <em>user</em>." in notes_by_guid(phone)[leaf]["Answer"]
        assert progress(phone) == progress(desktop)
        assert progress(phone)[1] == studied[1]
        assert [card for card in progress(phone)[0] if card in studied[0]] == studied[0]
        assert list(media(phone).values()) == list(media(desktop).values()) == [PICTURE]
        assert media(phone).keys() == media(desktop).keys()
        assert deck_counts(phone) == deck_counts(desktop) == {"PyTorch": 0, "PyTorch::Autograd": 3}
        for collection in (desktop, phone):
            assert_healthy(collection)
            assert list(collection.media.check().missing) == []
