"""Stand-ins for the programs of an author that draw diagrams."""

import os
from pathlib import Path

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>{}</text></svg>'
DRAWS = f"""text=$(cat)
case "$text" in
  *wrong*) echo "Error: syntax error in line 1" >&2; echo "  near 'wrong'" >&2; exit 1 ;;
  *hostile*) echo '{SVG.format('</text><image href="https://example.org/a.png"/><text>')}' ;;
  *) echo '{SVG.format("NAME $#")}' | sed "s/[$]#/$#/" ;;
esac
"""
"""A program that draws the number of its arguments, and fails for a diagram with the word `wrong`."""


def install(folder: Path, *names: str, script: str = DRAWS) -> str:
    """Write programs with these names into a folder, and return the PATH on which they come first."""
    folder.mkdir(exist_ok=True)
    for name in names:
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script.replace('NAME', name)}")
        file.chmod(0o755)
    return f"{folder}:{os.defpath}:/usr/bin:/bin"
