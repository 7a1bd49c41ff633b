"""The pictures in README.md and docs/ are as new as the cards and the CSS that they show.

Otherwise, run `make pictures`.
"""

from shown_pictures import IMAGES, SHOWN, digest, recorded

MOST_BYTES = 200_000


def test_no_picture_is_older_than_what_it_shows() -> None:
    assert recorded() == {picture: digest(picture) for picture in SHOWN}


def test_no_picture_is_heavy() -> None:
    heavy = {name: (IMAGES / f"{name}.webp").stat().st_size for name in SHOWN}
    assert {name: size for name, size in heavy.items() if size > MOST_BYTES} == {}
