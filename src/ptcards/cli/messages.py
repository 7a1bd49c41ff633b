"""How all commands print: width, colours, verbosity, stream, progress; and the options that they share.

`--help` imports this module, so it must load quickly.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Self

import click

from ptcards.diagnostics.layout import Terminal, paint, visible, wrap

COLOR = "ptcards.color"
QUIET = "ptcards.quiet"
VERBOSE = "ptcards.verbose"
_NARROWEST = 40
"""The minimum number of columns for a layout; narrower terminals get none."""


class CommandError(click.ClickException):
    """An error that ends a command although its usage was correct; `help` may say what to do."""

    exit_code = 2

    def __init__(self, message: str, help: str = "") -> None:  # noqa: A002 - the word that people read
        super().__init__(message)
        self.help = help


def use_color(choice: str, stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether to use colours: `--color` decides, then NO_COLOR, FORCE_COLOR, TERM and the kind of stream.

    An empty variable counts as unset (https://no-color.org, https://force-color.org). If both are set,
    NO_COLOR wins, as in Python's own tracebacks.
    """
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()


def terminal(*, err: bool) -> Terminal:
    """Return how to lay out text on standard error (with `err`) or standard output."""
    stream = sys.stderr if err else sys.stdout
    choice = _meta(COLOR) or "auto"
    columns, rows = _size(stream)
    return Terminal(use_color(choice, stream, os.environ), columns, rows, short=_meta(VERBOSE) is False)


def _size(stream: IO[str]) -> tuple[int, int] | tuple[None, None]:
    """Return the columns and rows of the terminal that a stream writes to, if there is one."""
    if not stream.isatty():
        return None, None
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except OSError:
        columns = rows = 0
    usual = shutil.get_terminal_size()
    return max(_NARROWEST, columns or usual.columns), rows or usual.lines


def is_quiet() -> bool:
    """Whether `-q` was given."""
    return bool(_meta(QUIET))


def is_verbose() -> bool:
    """Whether `-v` was given."""
    return bool(_meta(VERBOSE))


def _meta(key: str) -> Any:
    context = click.get_current_context(silent=True)
    return context.meta.get(key) if context else None


def tell(message: str, *, hang: int = 2) -> None:
    """Print a message for people on standard error, unless `-q` was given."""
    if not is_quiet():
        for progress in (*_drawn,):
            progress.clear()
        click.echo(wrap(one_line(message), terminal(err=True).columns, hang=hang), err=True)


def announce(verb: str, message: str, changes: Iterable[tuple[str, str]] = ()) -> None:
    """Print what was done, with a green verb, and below it the changes with their signs."""
    if is_quiet():
        return
    there = terminal(err=True)
    lines = [f"{paint(verb, 'done', color=there.color)} {one_line(message)}"]
    if signed := [paint(f"{sign}{words}", sign, color=there.color) for sign, words in changes]:
        lines.append(f"  {', '.join(signed)}")
    for line in lines:
        click.echo(wrap(line, there.columns, hang=2), err=True, color=True)


def tell_next(message: str) -> None:
    """Print what to do next."""
    if not is_quiet():
        there = terminal(err=True)
        line = f"{paint('Next:', 'next', color=there.color)} {one_line(message)}"
        click.echo(wrap(line, there.columns, hang=len("Next: ")), err=True, color=True)


def _message_and_help(failure: click.ClickException) -> tuple[str, str]:
    """Return what is wrong, in the form of our own messages, and what to do."""
    if isinstance(failure, CommandError):
        return failure.message, failure.help
    if not isinstance(failure, click.UsageError):
        return failure.format_message(), ""
    message, advice = failure.format_message(), ""
    if isinstance(failure, click.NoSuchOption):
        message = failure.message
        advice = f"did you mean `{failure.possibilities[0]}`?" if failure.possibilities else ""
    return message[:1].lower() + message[1:].removesuffix("."), advice


def near_path(path: Path) -> str:
    """Return the help for a path that does not exist: the one that was probably meant, or an empty string."""
    from ptcards.diagnostics.suggest import suggest_file  # noqa: PLC0415 - rarely needed
    from ptcards.files.inputs import shown  # noqa: PLC0415 - rarely needed

    if re.match(r"https?:/", str(path)):
        return "download it, and name the file"
    missing = path = path.absolute()
    is_there = os.path.exists  # `Path.exists` raises an error for a long name
    while not is_there(missing.parent):
        missing = missing.parent
    try:
        near = suggest_file(missing.name, [each.name for each in missing.parent.iterdir()])
    except OSError:
        return ""
    if not near:
        return ""
    folder = missing.with_name(near)
    meant = folder / path.relative_to(missing)
    return f"did you mean `{shown(meant if is_there(meant) else folder)}`?"


def show_error(failure: click.ClickException, evidence: Iterable[str] = ()) -> None:
    """Print why a command ends, the evidence, and perhaps what to do; the usage only if that was wrong."""
    message, advice = _message_and_help(failure)
    there = terminal(err=True)
    if isinstance(failure, click.UsageError) and failure.ctx is not None:
        usage = failure.ctx.get_usage()
        page = f"{usage}\nTry `{failure.ctx.command_path} --help`.\n"
        click.echo(page, err=True, color=there.color)
    for word, text, below in (("error:", message, evidence), ("help:", advice, ())):
        if text:
            line = f"{paint(word, word[:-1], color=there.color)} {one_line(text)}"
            click.echo(wrap(line, there.columns, hang=len(word) + 1), err=True, color=True)
        for each in below:
            click.echo(wrap(f"  {one_line(each)}", there.columns, hang=4), err=True)


def command_line(*words: str) -> str:
    """Return a ptcards command line, ready to paste into a shell."""
    from ptcards.files.programs import in_shell  # noqa: PLC0415 - not for `--help`

    return in_shell("ptcards", *words)


def one_line(message: str) -> str:
    """Return a message with line breaks and control characters made visible; file names may contain them."""
    return message if message.isprintable() else visible(message)


def read_stdin() -> bytes:
    """Return what is on standard input; nothing if it is closed."""
    return sys.stdin.buffer.read() if sys.stdin else b""


_AFTER = 0.3
"""Seconds before anything is shown; most commands take less time."""
_EVERY = 0.05
"""Seconds between two updates."""
_BAR = 20
_CLEAR = "\r\x1b[2K"


class Progress:
    """A progress line on standard error if that is a terminal; the line disappears when the block ends."""

    def __init__(self) -> None:
        self._columns = None if is_quiet() else terminal(err=True).columns
        self._next = time.monotonic() + _AFTER

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` parts of a step are done; show only its name if it has no parts."""
        now = time.monotonic()
        if self._columns is None:
            return
        if now < self._next:
            return
        self._next = now + _EVERY
        text = step
        if total:
            full = _BAR * min(done, total) // total
            text = f"{step:<10} {'█' * full}{'░' * (_BAR - full)} {done:,}/{total:,}"
        click.echo(f"{_CLEAR}{text[: self._columns - 1]}", nl=False, err=True, color=True)
        sys.stderr.flush()
        if self not in _drawn:
            _drawn.append(self)

    def clear(self) -> None:
        """Remove the progress line."""
        if self in _drawn:
            click.echo(_CLEAR, nl=False, err=True, color=True)
            _drawn.remove(self)


_drawn: list[Progress] = []
"""The progress line on the terminal, if there is one."""


_COMPONENTS = ("genanki", "Markdown", "Pygments", "click", "wcwidth")

Command = Callable[..., Any]


def common_options(command: Command) -> Command:
    """Add `--color`, `-q`, `--version` and `-h` to the group or to a command."""
    for option in (
        click.option(
            "--color",
            type=click.Choice(("auto", "always", "never")),
            is_eager=True,  # before `--help`, which has colours too
            expose_value=False,
            callback=_remember(COLOR),
            help="Colour the messages; auto: on a terminal, or as NO_COLOR and FORCE_COLOR say.",
        ),
        click.option(
            "-q",
            "--quiet",
            is_flag=True,
            expose_value=False,
            callback=_remember(QUIET),
            help="Print only errors.",
        ),
        click.option(
            "--version",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the versions and exit.",
        ),
    ):
        command = option(command)
    return command


def format_option(*names: str, help: str) -> Callable[[Command], Command]:  # noqa: A002 - Click's word
    """Return a decorator that adds `--format`, whose value is `form`; the first name is the default."""
    return click.option(
        "--format", "form", type=click.Choice(names), default=names[0], show_default=True, help=help
    )


def verbose_option(text: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `-v`; `text` is its help for this command."""
    return click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=_remember(VERBOSE), help=text
    )


def complete_rules(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the rules that start with `begun`, for shell completion."""
    from ptcards.lint.registry import all_messages  # noqa: PLC0415 - heavier than --help

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in all_messages() if name.startswith(last)]


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def remember(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        # The group's setting applies unless the command has its own.
        if value:
            ctx.meta[key] = value
        ctx.meta.setdefault(key, value)

    return remember


# Click's signature.
def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if not wanted or ctx.resilient_parsing:
        return
    import platform  # noqa: PLC0415 - only here
    from importlib.metadata import version  # noqa: PLC0415

    from ptcards import __version__  # noqa: PLC0415

    parts = [f"{name} {version(name)}" for name in _COMPONENTS]
    click.echo(f"ptcards {__version__} (Python {platform.python_version()}, {', '.join(parts)})")
    ctx.exit()
