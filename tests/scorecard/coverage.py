"""Row 27: how many of the code's lines and branches the tests run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ptcards
from scorecard.row import Effort, Measurement, Result, Row
from scorecard.suite import TESTS

PERCENT = 95.0
SOURCE = Path(ptcards.__file__).parent
# Some tests run copies of the package. The code that runs cards inside the sandbox runs under any Python,
# where coverage is not available; its tests run it for real.
_SETTINGS = """
[run]
branch = true
source = ptcards
omit = */verify/inside/*
parallel = true
patch = subprocess
data_file = {folder}/data
[paths]
copies =
    {source}
    */ptcards
[report]
exclude_also =
    if TYPE_CHECKING:
"""


def _measure(effort: Effort) -> tuple[Result, ...]:
    """Run the full suite and the processes that it starts under coverage.

    The short form runs only the quick tests. The tests of the desktop Anki run only if `make desktop` could.
    """
    settings = effort.folder / "coveragerc"
    settings.write_text(_SETTINGS.format(folder=effort.folder, source=SOURCE), "utf-8")
    left_out = [] if effort.long else ["not slow", "not browser"]
    left_out += [] if "DESKTOP_PYTHON" in os.environ else ["not desktop"]
    coverage = [sys.executable, "-m", "coverage"]
    options = f"--rcfile={settings}"
    tests = [
        "-m",
        "pytest",
        "-q",
        "-n",
        str(effort.jobs),
        "--dist",
        "loadgroup",
        # Coverage loads what these look for, needs space on the full disk, and prints more after Ctrl-C.
        "-k",
        "not (imports_nothing or loads_n or disk_that_is_full_leaves or program_is_loaded)",
        "-m",
        " and ".join(left_out),
    ]
    ran = subprocess.run(
        [*coverage, "run", options, *tests],
        cwd=TESTS,
        env=dict(os.environ),
        check=False,
        capture_output=True,
        text=True,
    )
    report = effort.folder / "report.json"
    for step in (["combine", "-q", options], ["json", "-q", options, "-o", str(report)]):
        subprocess.run([*coverage, *step], cwd=TESTS, check=True, capture_output=True)
    found = json.loads(report.read_text("utf-8"))
    totals = found["totals"]
    share = (
        100
        * (totals["covered_lines"] + totals["covered_branches"])
        / (totals["num_statements"] + totals["num_branches"])
    )
    branches = 100 * totals["covered_branches"] / totals["num_branches"]
    worst = sorted((each["summary"]["percent_covered"], name) for name, each in found["files"].items())[:8]
    figure = f"{share:.1f}% of lines and branches, {branches:.1f}% of branches{'' if effort.long else ' by the quick tests'}"
    failed = [] if ran.returncode == 0 else [f"tests fail: {ran.stdout[-1500:]}"]
    least = [f"{percent:.0f}% of {name}" for percent, name in worst]
    return (Result(figure, share >= PERCENT and not failed, (*failed, *least)),)


MEASUREMENT = Measurement(
    (Row(27, "lines and branches that the tests run", f"{PERCENT:.0f}%"),), _measure, only_long=True
)
