"""`serve --lan`: the address for other devices, and what the terminal says about it."""

import io
import secrets
import sys

import click

from ptcards.cli.messages import CommandError, tell
from ptcards.extensions.preview.lan import Lan, LanAddressError, choose_address
from ptcards.extensions.preview.server import PortError, listen


def lan_address(asked: str) -> str:
    """Return the address that was asked for or, if that is empty, the only private one of this computer.

    Raises CommandError if there is no such address.
    """
    try:
        return choose_address(asked)
    except LanAddressError as failure:
        raise CommandError(str(failure), failure.help) from failure


def open_lan(address: str, port: int) -> Lan:
    """Listen for other devices on an address, with a new key.

    Raises CommandError if this computer does not have the address.
    """
    try:
        listening = listen(port, address)
    except PortError as failure:
        raise CommandError(str(failure), "name an address of this computer after `--lan`") from failure
    ended = "10 wrong keys: other devices no longer see the cards; start again for a new link"
    return Lan(listening, secrets.token_urlsafe(16), lambda: tell(ended))


def tell_lan(lan: Lan) -> None:
    """Print the link, as a QR code too if the extra `qr` is installed."""
    tell("Not encrypted: whoever is in this network can read along. For your phone:")
    click.echo(lan.link)
    if sys.stdout.isatty() and (code := _qr_code(lan.link)):
        click.echo(code)


def _qr_code(link: str) -> str:
    try:
        import segno  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
