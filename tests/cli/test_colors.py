"""The conditions under which output is coloured."""

import io

import pytest

from ptcards.cli.messages import use_color


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "stream", "environ", "expected"),
    [
        ("auto", Terminal(), {}, True),
        ("auto", io.StringIO(), {}, False),
        ("auto", Terminal(), {"NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"NO_COLOR": ""}, True),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("auto", io.StringIO(), {"FORCE_COLOR": "1"}, True),
        ("auto", io.StringIO(), {"FORCE_COLOR": ""}, False),
        ("auto", io.StringIO(), {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("auto", Terminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_the_option_comes_before_the_variables_and_these_before_the_terminal(
    choice: str, stream: io.StringIO, environ: dict[str, str], *, expected: bool
) -> None:
    assert use_color(choice, stream, environ) is expected
