"""What stays of a drawing, and which drawings are refused."""

import pytest

from ptcards.extensions.drawing.svg import MOST_BYTES, DrawingError, clean

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"'
)


def cleaned(inner: str, more: str = "") -> str:
    svg = clean(f"<?xml version='1.0'?><!DOCTYPE svg><!-- c -->{HEAD}{more}>{inner}</svg>".encode()).decode()
    return (
        svg.removeprefix('<svg width="9" height="9"')
        .removesuffix("</svg>\n")
        .replace(' xmlns="http://www.w3.org/2000/svg">', "|", 1)
    )


@pytest.mark.parametrize(
    ("inner", "stays"),
    [
        ("<script>alert(1)</script><rect onclick='x()' width='1'/>", '|<rect width="1" />'),
        ("<g><animate href='#a'/><set attributeName='href' to='javascript:1'/>text</g>", "|<g />"),
        ("<a xlink:href='javascript:1' href='https://x.org'><text>a</text></a>", "|<a><text>a</text></a>"),
        ("<metadata><x xmlns='y'/></metadata><x:y xmlns:x='z'/><title>T</title>", "|<title>T</title>"),
        ("<image href='data:image/png;base64,AA=='/>", '|<image href="data:image/png;base64,AA==" />'),
        (
            "<path id='a' fill='url(#b)'/><use xlink:href='#a'/><g aria-label='a' style='fill: url(&quot;#b&quot;)'/>",
            '|<path id="a" fill="url(#b)" /><use href="#a" /><g style="fill: url(&quot;#b&quot;)" />',
        ),
        (
            "<style>#a .b { fill: #abc } .d { src: url(data:font/woff2;base64,AA) }</style>",
            "|<style>#a .b { fill: #abc } .d { src: url(data:font/woff2;base64,AA) }</style>",
        ),
        ("<text xml:space='preserve' xml:base='x'> a </text>", '|<text xml:space="preserve"> a </text>'),
    ],
)
def test_only_what_shows_something_stays(inner: str, stays: str) -> None:
    assert cleaned(inner) == stays


@pytest.mark.parametrize(
    ("svg", "reason"),
    [
        (
            f"{HEAD}><foreignObject/></svg>",
            "has text in HTML (`foreignObject`), which few cards show",
        ),
        *(
            (f"{HEAD}>{svg}</svg>", f"refers to `{part}`, which is not in it")
            for svg, part in (
                ("<image href='https://x.org/a.png'/>", "url('https://x.org/a.png')"),
                ("<image xlink:href='/etc/a.png'/>", "url('/etc/a.png')"),
                ("<use href='other.svg#a'/>", "url('other.svg#a')"),
                ("<use href='&quot;#a&quot;'/>", "url('\"#a\"')"),
                ("<image href='data:image/svg+xml;base64,AA'/>", "url('data:image/svg+xml"),
                ("<style>@import 'a.css';</style>", "@import 'a.css'"),
                ("<style>a { fill: url(https://x.org/#a) }</style>", "url(https://x.org/#a)"),
                ("<style>a { fill: u\\72l(a) }</style>", "\\72l(a)"),
                ("<style>a { fill: image-set('a' 1x) }</style>", "image-set('a' 1x)"),
                ("<rect fill='URL ( a.svg )'/>", "URL ( a.svg )"),
                ("<rect fill='u\\72l(a.svg)'/>", "\\72l(a.svg)"),
                ("<rect style='fill: url(a.svg)'/>", "url(a.svg)"),
            )
        ),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "defines entities"),
        ("<html/>", "is not SVG"),
        ("<svg/>", "is not SVG"),
        (f"{HEAD}><g></svg>", f"is not SVG (mismatched tag: line 1, column {len(HEAD) + 6})"),
        (f"{HEAD}>{'<g>' * 5000}{'</g>' * 5000}</svg>", "is nested too deep"),
        (f"{HEAD}><text>{'a' * MOST_BYTES}</text></svg>", "has 512 kB; the maximum is 512 kB"),
    ],
)
def test_a_drawing_that_shows_what_a_card_cannot_is_refused(svg: str, reason: str) -> None:
    with pytest.raises(DrawingError) as refused:
        clean(svg.encode())
    assert str(refused.value) == f"the drawing {reason}"


def test_a_drawing_in_another_encoding_cannot_hide_entities() -> None:
    svg = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE svg [<!ENTITY a "b">]><svg/>'
    with pytest.raises(DrawingError, match="is not SVG"):
        clean(svg.encode("utf-16"))


def test_a_drawing_that_would_fill_its_page_has_the_size_of_its_view() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 30 20" style="max-width: 30px; color: red"/>'
    assert clean(svg.encode()).decode() == (
        '<svg width="30" viewBox="0 0 30 20" style=" color: red" height="20" xmlns="http://www.w3.org/2000/svg" />\n'
    )
