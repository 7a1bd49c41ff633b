"""Says what a Python has to offer; run by that Python, so it needs nothing but 3.8 and the standard library.

Prints one JSON object: where its files lie, which distributions it has, and which modules the required ones
hold.
"""

# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH208, PTH122
# Because paths come and go as strings, and pathlib costs each start some milliseconds.
from __future__ import annotations

import json
import os
import platform
import re
import site
import sys
from importlib import metadata, util


def distributions(folders: list[str]) -> dict[str, str]:
    """Map the normalised names of the installed distributions to their versions.

    Read from the names of their folders: a hundred times faster than from their metadata.
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
    """List the modules to import for a required distribution; none if it is not installed."""
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
    # What an editable installation holds is listed nowhere.
    found = [module for module in dict.fromkeys([*listed, name.replace("-", "_")]) if util.find_spec(module)]
    own = [module for module in found if module.lower() == name.replace("-", "_")]
    return own or [module for module in found if not module.startswith("_")]


def folder_of(module: str) -> str:
    """Return the folder that a module lies in.

    Not on `sys.path` if its distribution was installed editable.
    """
    spec = util.find_spec(module)
    places = list(spec.submodule_search_locations or [spec.origin or ""]) if spec else []
    return os.path.dirname(os.path.abspath(places[0])) if places else ""


def describe(required: list[str]) -> dict[str, object]:
    """Describe this Python."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    found = {name: modules(name) for name in required}
    return {
        "executable": sys.executable,
        "version": platform.python_version(),
        "implementation": sys.implementation.cache_tag,
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
