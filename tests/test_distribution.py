"""What `distribution/` has for other ways to install ptcards."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
DISTRIBUTION = ROOT / "distribution"


def test_recipes_pin_what_is_installed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DISTRIBUTION / "recipes.py", tmp_path], check=True, capture_output=True)
    needed = {
        re.split(r"[^\w.-]", each)[0]
        for each in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    }
    if sys.version_info >= (3, 14):
        needed -= {"backports.zstd"}
    needed = {name.replace(".", "-") for name in needed}
    pinned = {f"{name} {version(name)}" for name in needed}
    recipe = yaml.safe_load((tmp_path / "meta.yaml").read_text("utf-8"))
    assert ({*recipe["requirements"]["run"]}, recipe["package"]["version"]) == (
        {"python >=3.11", *pinned},
        version("ptcards"),
    )
    formula = (tmp_path / "ptcards.rb").read_text("utf-8")
    constraints = dict(re.findall(r"^ +([\w.-]+)==(\S+)$", formula, re.MULTILINE))
    assert constraints == {name: version(name) for name in constraints}
    assert needed - constraints.keys() == set()


def test_the_container_installs_this_repository() -> None:
    lines = (DISTRIBUTION / "Dockerfile").read_text("utf-8").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    assert [word for word, _ in steps] == [
        *("FROM", "RUN", "COPY", "RUN", "ENV", "WORKDIR", "ENTRYPOINT"),
    ]
    assert ["RUN", "pip install --no-cache-dir /ptcards && rm -r /ptcards"] in steps
