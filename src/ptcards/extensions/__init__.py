"""Extensions: what ptcards does beyond its core, each a folder here.

The core works with all of them deleted; some of them need another one. The core never imports
an extension by name: it looks for folders with an `__init__.py`, which must be quick to import, because
`--help` needs it. An extension has:

- `COMMANDS`: its commands with what they do, by the headings of `--help`. A command is `command` in the
  module of its name in the extension's folder `cli` (`import_`, because `import` is a word of Python).
- `messages`, a folder, if it reports anything of its own.
- `formats`, `guess_dialect`, `first_look` and `unread`, if it reads formats of other programs.
- `draw_changes`, if it draws the cards that an update changes.
- `agents`, if it tells models how the notes of a collection are written.
- `fetch`, if it downloads what notes show from the web.
- `after_build`, if it has something to say after a build (see `after_build` below).

Entry points would do the same, but reading them takes half as long as `ptcards --help` itself.
"""

import keyword
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


@cache
def extensions() -> tuple[ModuleType, ...]:
    """Return the packages of all extensions, by name."""
    names = sorted(file.parent.name for file in Path(__file__).parent.glob("*/__init__.py"))
    return tuple(import_module(f"{__name__}.{name}") for name in names)


@cache
def modules(name: str) -> tuple[ModuleType, ...]:
    """Return the modules with this name that extensions have."""
    names = (f"{extension.__name__}.{name}" for extension in extensions())
    return tuple(import_module(each) for each in names if find_spec(each))


def with_commands(core: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return what the commands of the core and of all extensions do, by the headings of `--help`."""
    groups = {heading: {**commands} for heading, commands in core.items()}
    for extension in extensions():
        for heading, commands in extension.COMMANDS.items():
            groups.setdefault(heading, {}).update(commands)
    return {heading: commands for heading, commands in groups.items() if commands}


def command_module(name: str) -> str:
    """Return the module of a command, which is in the core unless an extension has it."""
    owner = next(
        (each.__name__ for each in extensions() if any(name in one for one in each.COMMANDS.values())), ""
    )
    # The name of an imported module cannot be a Python keyword.
    return f"{owner or 'ptcards'}.cli.{name}{'_' * keyword.iskeyword(name)}"


def after_build(collection_id: str, lock: str) -> Iterator[str]:
    """Yield what extensions say after the build of a collection.

    `lock` is the path of its lock; without a `deck.toml`, both are empty.
    """
    for extension in extensions():
        if told := getattr(extension, "after_build", None):
            yield from told(collection_id, lock)
