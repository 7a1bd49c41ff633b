"""The pictures in README.md and docs/ are as new as the cards and the CSS that they show.

Otherwise, run `make pictures`.
"""

import pytest

from shown_pictures import IMAGES, PICTURES, digest, recorded

MOST_BYTES = 200_000


@pytest.mark.extensions
def test_no_picture_is_older_than_what_it_shows() -> None:
    assert recorded() == {picture: digest(picture) for picture in PICTURES}


def test_no_picture_is_heavy() -> None:
    files = [file for file in IMAGES.glob("*.webp") if file.name.split(".")[0] in PICTURES]
    assert {file.name for file in files if file.stat().st_size > MOST_BYTES} == set()
