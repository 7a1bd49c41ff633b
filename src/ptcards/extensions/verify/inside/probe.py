"""Describes the Python that runs it, using only the standard library of Python 3.8 or later.

It prints one JSON object: where its files are, which packages it has, and the modules of the required ones.
"""

# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH208, PTH122 Paths are strings throughout, and importing
# pathlib would add a few milliseconds to each start.
from __future__ import annotations

import json
import os
import platform
import re
import site
import sys
from importlib import metadata, util


def distributions(folders: list[str]) -> dict[str, str]:
    """Return the versions of the installed packages by normalised name.

    They come from folder names, because that is a hundred times faster than reading metadata.
    """
    found: dict[str, str] = {}
    for folder in folders:
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            stem, kind = os.path.splitext(entry)
            if kind == ".dist-info":
                name, _, version = stem.partition("-")
            elif kind == ".egg-info":
                installed = metadata.Distribution.at(os.path.join(folder, entry))
                name, version = installed.metadata["Name"] or "", installed.version or ""
            else:
                continue
            found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), version)
    return found


def modules(name: str) -> list[str]:
    """Return the modules to import for a required package, or none if it is not installed."""
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return []
    listed = (distribution.read_text("top_level.txt") or "").split()
    if not listed:
        files = (str(file) for file in distribution.files or ())
        listed = sorted(
            {re.split(r"[/.]", file)[0] for file in files if re.match(r"\w+(/__init__)?\.", file)}
        )
    # No file lists the contents of an editable installation.
    found = [module for module in dict.fromkeys([*listed, name.replace("-", "_")]) if util.find_spec(module)]
    own = [module for module in found if module.lower() == name.replace("-", "_")]
    return own or [module for module in found if not module.startswith("_")]


def folder_of(module: str) -> str:
    """Return the folder of a module.

    If its package is an editable installation, the folder is not on `sys.path`.
    """
    spec = util.find_spec(module)
    places = list(spec.submodule_search_locations or [spec.origin or ""]) if spec else []
    return os.path.dirname(os.path.abspath(places[0])) if places else ""


def describe(required: list[str]) -> dict[str, object]:
    """Return a description of this Python."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    found = {name: modules(name) for name in required}
    return {
        "executable": sys.executable,
        "version": platform.python_version(),
        "implementation": str(sys.implementation.cache_tag),
        "machine": f"{sys.platform}-{platform.machine()}",
        "folders": sorted(
            {
                *(os.path.abspath(folder) for folder in sys.path),
                *(folder_of(module) for listed in found.values() for module in listed),
                *(sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix),
            }
        ),
        "user_base": site.getuserbase() if site.ENABLE_USER_SITE else "",
        "distributions": distributions(sys.path),
        "modules": found,
    }


if __name__ == "__main__":
    print(json.dumps(describe(sys.argv[1:])))  # noqa: T201 - its purpose
