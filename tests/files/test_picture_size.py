"""The size of a picture is read from its first bytes."""

import io
from pathlib import Path

import pytest
from PIL import Image

from ptcards.files.picture_size import picture_size


@pytest.mark.parametrize("form", ["PNG", "GIF", "JPEG", "WEBP"])
@pytest.mark.parametrize("turned", [False, True])
def test_every_form_of_picture_tells_its_size(tmp_path: Path, form: str, *, turned: bool) -> None:
    exif = Image.Exif()
    exif[0x112] = 6
    picture = Image.new("RGB", (321, 123), "red")
    picture.save(tmp_path / "a", form, **({"exif": exif} if turned and form != "GIF" else {}))
    is_turned = turned and form == "JPEG"
    assert picture_size(tmp_path / "a") == ((123, 321) if is_turned else (321, 123))


def test_a_lossless_webp_tells_its_size(tmp_path: Path) -> None:
    Image.new("RGB", (321, 123), "red").save(tmp_path / "a", "WEBP", lossless=True)
    assert picture_size(tmp_path / "a") == (321, 123)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('<?xml version="1.0"?>\n<svg width="40" height="30.4px">', (40, 30)),
        ("<svg height='3' viewBox='0 0 1 1' width='4'>", (4, 3)),
        ('<svg width="100%" height="30">', (0, 30)),
        ('<svg viewBox="0 0 4 3"><rect width="1" height="2"/>', (0, 0)),
        ("", (0, 0)),
    ],
)
def test_an_svg_has_the_size_that_it_names(tmp_path: Path, text: str, size: tuple[int, int]) -> None:
    (tmp_path / "a.svg").write_text(text)
    assert picture_size(tmp_path / "a.svg") == size


def test_a_file_that_ends_too_early_has_no_size(tmp_path: Path) -> None:
    for form in ("PNG", "GIF", "JPEG", "WEBP"):
        stream = io.BytesIO()
        Image.new("RGB", (40, 30)).save(stream, form)
        for length in range(30):
            (tmp_path / "a").write_bytes(stream.getvalue()[:length])
            assert picture_size(tmp_path / "a") in ((0, 0), (40, 30))
    assert picture_size(tmp_path / "gone") == (0, 0)
