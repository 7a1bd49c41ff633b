"""Write a formula for Homebrew and a recipe for conda into a folder: `python distribution/recipes.py FOLDER`.

Both name the version of each package that is installed here, with which the tests passed.
"""

import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
_HOME = "https://github.com/OWNER/ptcards"
_FORMULA = """\
class Ptcards < Formula
  include Language::Python::Virtualenv

  desc "{summary}"
  homepage "{home}"
  url "{home}.git", tag: "v{version}"
  license "MIT"

  depends_on "rust" => :build # for watchfiles, if there is no wheel for this system
  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    (buildpath/"constraints.txt").write <<~TEXT
{constraints}
    TEXT
    system libexec/"bin/python", "-m", "ensurepip"
    system libexec/"bin/python", "-m", "pip", "install", "--constraint", "constraints.txt", buildpath
    bin.install_symlink libexec/"bin/ptcards"
  end

  test do
    system bin/"ptcards", "init", "deck"
    system bin/"ptcards", "build", "deck"
    assert_path_exists testpath/"deck/build/deck.apkg"
  end
end
"""
_RECIPE = """\
package:
  name: ptcards
  version: "{version}"
source:
  git_url: {home}.git
  git_rev: v{version}
build:
  noarch: python
  number: 0
  script: python -m pip install . --no-deps --no-build-isolation -vv
  entry_points:
    - ptcards = ptcards.__main__:run
requirements:
  host:
    - python >=3.11
    - pip
    - hatchling
  run:
    - python >=3.11
{requirements}
test:
  commands:
    - ptcards init deck
    - ptcards build deck
about:
  home: {home}
  license: MIT
  license_file: LICENSE
  summary: {summary}
"""


def pinned() -> dict[str, str]:
    """Return the installed version of each package that ptcards needs, also through others."""
    found: dict[str, str] = {}
    wanted = [*_dependencies()]
    while wanted:
        needed = wanted.pop()
        name = canonicalize_name(needed.name)
        if name not in found and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            found[name] = version(name)
            wanted += map(Requirement, distribution(name).requires or ())
    return dict(sorted(found.items()))


def _dependencies() -> list[Requirement]:
    return [Requirement(each) for each in _project()["dependencies"]]


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def recipes() -> dict[str, str]:
    """Return the name and the text of each recipe."""
    versions = pinned()
    about = {"home": _HOME, "version": version("ptcards"), "summary": _project()["description"]}
    constraints = "\n".join(f"      {name}=={number}" for name, number in versions.items())
    direct = {canonicalize_name(each.name) for each in _dependencies()}
    requirements = "\n".join(f"    - {name} {number}" for name, number in versions.items() if name in direct)
    return {
        "ptcards.rb": _FORMULA.format(**about, constraints=constraints),
        "meta.yaml": _RECIPE.format(**about, requirements=requirements),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in recipes().items():
        (folder / name).write_text(text, "utf-8")
        print(folder / name)  # noqa: T201 - says what it wrote
