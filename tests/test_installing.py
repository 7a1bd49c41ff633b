"""ptcards as its users install it: the package that a tag publishes, and the repository itself."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from ptcards import __version__
from releasing import link_environment, served

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8"))
BIN = Path(sys.executable).parent
ONE_LINE = re.compile(r"^ *((?:uvx|pipx) .*git\+.*)$", re.MULTILINE)


def run(folder: Path, command: str, environ: Mapping[str, str] = os.environ) -> str:
    """Run a command as GitHub does, with this Python; it must succeed. Return what it printed."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
        cwd=folder,
        env={**environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve what ptcards needs to be built and to run, but not ptcards, as an index; yield its address."""
    folder = tmp_path_factory.mktemp("index")
    run(folder, f"python -m pip wheel --quiet --wheel-dir wheels '{ROOT}' hatchling pip")
    for file in (folder / "wheels").iterdir():
        name = re.sub(r"[-_.]+", "-", file.name.partition("-")[0]).lower()
        if name != "ptcards":
            (folder / "simple" / name).mkdir(parents=True)
            file.rename(folder / "simple" / name / file.name)
    with served(folder) as address:
        yield f"{address}simple/"


def only(index: str) -> dict[str, str]:
    """Return variables with which pip and uv know an index and nothing else."""
    return {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": index,
        "UV_DEFAULT_INDEX": index,
        "UV_NO_CONFIG": "1",
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }


@pytest.fixture(scope="module")
def repository(index: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this repository, committed, whose packages the workflow has built and checked."""
    folder = tmp_path_factory.mktemp("repository")
    for name in run(ROOT, "git ls-files").splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    run(folder, "git init -q && git add . && git -c user.name=A -c user.email=a@b commit -qm x")
    link_environment(folder)
    for step in WORKFLOW["jobs"]["build"]["steps"]:
        run(
            folder,
            step.get("run", ""),
            {**os.environ, **only(index), "GITHUB_REF_NAME": f"v{__version__}"},
        )
    return folder


@pytest.mark.long
def test_a_tag_builds_and_checks_a_wheel_and_an_sdist(repository: Path) -> None:
    assert sorted(file.name for file in (repository / "dist").iterdir()) == [
        f"ptcards-{__version__}-py3-none-any.whl",
        f"ptcards-{__version__}.tar.gz",
    ]


def test_only_the_job_that_publishes_may_say_who_it_is() -> None:
    rights = {name: job["permissions"] for name, job in WORKFLOW["jobs"].items()}
    assert (WORKFLOW["permissions"], rights) == (
        {},
        {"build": {"contents": "read"}, "publish": {"id-token": "write"}},
    )


@pytest.mark.long
def test_a_tag_that_is_not_the_version_publishes_nothing(repository: Path) -> None:
    *_, check, _ = WORKFLOW["jobs"]["build"]["steps"]
    with pytest.raises(AssertionError, match=r"ptcards-9\.9\.9-py3-none-any\.whl"):
        run(repository, check["run"], {**os.environ, "GITHUB_REF_NAME": "v9.9.9"})


def test_the_lines_of_the_docs_install_ptcards_from_its_repository(
    repository: Path, index: str, tmp_path: Path
) -> None:
    """The address of the project is that of a repository on this computer, and nothing else is installed."""
    lines = ONE_LINE.findall((ROOT / "docs" / "releasing.md").read_text("utf-8"))
    assert [line.split()[0] for line in lines] == ["uvx", "pipx"]
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    for line in lines:
        command = re.sub(r"git\+\S+", f"git+{repository.as_uri()}", line)
        run(empty, command, {**only(index), "HOME": str(home)})
    assert sorted(file.name for file in (empty / "my-deck").iterdir() if file.suffix) == [
        *("deck.toml", "first-steps.md")
    ]
    said = run(empty, f"'{home}/.local/bin/ptcards' --version", {"HOME": str(home)})
    assert said.startswith(f"ptcards {__version__} ")


def test_the_line_of_the_readme_and_the_site_installs_ptcards_in_a_clone(
    repository: Path, index: str, tmp_path: Path
) -> None:
    names = ("README.md", "docs/index.md", "docs/install.md")
    pages = [(ROOT / name).read_text("utf-8") for name in names]
    # On the page of installation, the line is in a step, and so indented.
    block = re.compile(r"^ *```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
    first, *others = [
        next(text for text in map(textwrap.dedent, block.findall(page)) if text.startswith("uv tool"))
        for page in pages
    ]
    assert others == [first, first]
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    run(tmp_path, f"git clone -q '{repository}' clone")
    tried = run(clone, "uvx --from . ptcards --version", {**only(index), "HOME": str(home)})
    assert tried.startswith(f"ptcards {__version__} ")
    run(clone, first, {**only(index), "HOME": str(home)})
    said = run(tmp_path, f"'{home}/.local/bin/ptcards' --version", {"HOME": str(home)})
    assert said.startswith(f"ptcards {__version__} ")


def test_the_readme_installs_from_the_repository_once_its_address_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    source = project.get("urls", {}).get("Source")
    lines = ONE_LINE.findall((ROOT / "docs" / "releasing.md").read_text("utf-8"))
    there = [re.sub(r"git\+\S+", f"git+{source}", line) for line in lines] if source else []
    assert ONE_LINE.findall((ROOT / "README.md").read_text("utf-8")) == there
