"""A build without the command line."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ptcards.compile import BuildOptions, Built, prepared
from ptcards.diagnostics import Diagnostic
from ptcards.workspace import ReadOptions


def build(
    paths: Sequence[Path], options: BuildOptions, reading: ReadOptions, *, waiting: Callable[[Path], None]
) -> tuple[tuple[Built, ...], list[Diagnostic]]:
    """Build all collections, or none if any has an error."""
    with prepared(paths, options, reading, waiting=waiting) as judged:
        return judged.write(options, reading.progress), judged.diagnostics
