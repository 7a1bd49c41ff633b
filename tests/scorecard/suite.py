"""Rows that tests measure; this module runs these tests separately and counts their results."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from scorecard.row import Effort, Measurement, Result, Row

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Tested:
    """The names of the tests that passed, and those of the others with the end of their output."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]

    def result(self, ours: str = "") -> Result:
        """Return how many passed, preceded by another figure."""
        total = len(self.passed) + len(self.failed)
        counted = f"{len(self.passed)} of {total} tests pass"
        return Result(f"{ours}; {counted}" if ours else counted, total > 0 and not self.failed, self.failed)


def tested(effort: Effort, *selection: str, **environ: str) -> Tested:
    """Run these tests with more environment variables; a skipped test has not passed."""
    report = effort.folder / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
    ]
    subprocess.run(
        [*command, *selection], cwd=TESTS, env=os.environ | environ, check=False, capture_output=True
    )
    passed, failed = [], []
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        trouble = [each for each in case if each.tag in ("failure", "error", "skipped")]
        if trouble:
            failed.append(f"{name}: {(trouble[0].get('message') or '')[:300]}")
        else:
            passed.append(name)
    return Tested(tuple(passed), tuple(failed))


def _bad_inputs(effort: Effort) -> tuple[Result, ...]:
    """Return the result of the bad inputs.

    The tests compare the output of each case exactly; this function examines the refusals among them.
    """
    run = tested(effort, "test_bad.py")
    refused = unnamed = 0
    for file in (TESTS / "bad").glob("*.md"):
        for output in file.read_text("utf-8").split("\n.\n")[2::3]:
            if "exit status 0" not in output and not output.startswith("Usage: "):
                refused += 1
                places = re.search(r"^\S.*?:\d+:\d+: error\[[a-z0-9-]+\]", output, re.MULTILINE)
                unnamed += not places or "= help: " not in output
    result = run.result(
        f"{len(run.passed)} inputs, {refused} of them refused, {unnamed} of those without location, rule or help"
    )
    return (Result(result.ours, bool(result.holds) and unnamed == 0 and refused >= 150, result.details),)


def _snippets(effort: Effort) -> tuple[Result, ...]:
    run = tested(effort, "markdown/test_markdown_github.py", "-k", "snippet")
    verdicts = [each.split() for each in (TESTS / "gfm/snippets.md").read_text("utf-8").split("\n.\n")[2::3]]
    same = sum("same" in each for each in verdicts)
    share = same / len(verdicts)
    silent = sum(not each for each in verdicts)
    result = run.result(f"{same} of {len(verdicts)} ({100 * share:.1f}%), {silent} silent")
    return (Result(result.ours, bool(result.holds) and share >= 0.95 and not silent, result.details),)


def _commonmark(effort: Effort) -> tuple[Result, ...]:
    from test_markdown_github import SPEC_SAME, SPEC_SILENT  # noqa: PLC0415 - only this row needs it

    run = tested(effort, "markdown/test_markdown_github.py", "-k", "commonmark")
    result = run.result(f"{SPEC_SAME} of 652, {len(SPEC_SILENT)} others without a diagnostic")
    return (Result(result.ours, bool(result.holds) and SPEC_SAME >= 411, result.details),)


def _requests(effort: Effort) -> tuple[Result, ...]:
    from attacks import attacks  # noqa: PLC0415 - only this row needs it

    files = ("preview/test_serve.py", "preview/test_serve_lan.py")
    run = tested(effort, *files, "-k", "attack or ask or forbids or nobody or refused or wrong_keys")
    return (run.result(f"{len(attacks(0))} attacks, also on the second application"),)


def _attacks_by_code(effort: Effort) -> tuple[Result, ...]:
    from test_verify_attacks import World, attacks  # noqa: PLC0415 - only this row needs it

    run = tested(
        effort,
        "verify/test_verify_attacks.py",
        "verify/test_verify.py",
        "-k",
        "test_verify_attacks or leaving_before_the_end",
    )
    return (run.result(f"{len(attacks(World(effort.folder, 0, 0)))} attacks"),)


def _cloned_decks(effort: Effort) -> tuple[Result, ...]:
    """Open hostile decks with all commands, and let `verify` run them."""
    from verify_attacks import VERIFY_ATTACKS, harm_of  # noqa: PLC0415

    from git_attacks import GIT_ATTACKS  # noqa: PLC0415 - only this row needs it

    run = tested(effort, "diff/test_git_attacks.py")
    harm = {attack.name: harm_of(attack, effort.folder / str(n)) for n, attack in enumerate(VERIFY_ATTACKS)}
    harmful = tuple(f"{name}: {', '.join(done)}" for name, done in harm.items() if done)
    result = run.result(
        f"{len(run.failed)} of {len(GIT_ATTACKS)} through `.git`, {len(harmful)} of {len(VERIFY_ATTACKS)} through `verify`"
    )
    return (Result(result.ours, bool(result.holds) and not harmful, (*result.details, *harmful)),)


def _vectors(effort: Effort) -> tuple[Result, ...]:
    import xss  # noqa: PLC0415 - only this row needs it

    run = tested(effort, "-m", "browser", "-k", "attack or whatever_acts", ".", PACKAGES="1000")
    return (run.result(f"{len(xss.CORPUS)} vectors and 1,000 packages in Chromium"),)


def _left_out(effort: Effort) -> tuple[Result, ...]:
    return (tested(effort, "-m", "long", ".").result(),)


MEASUREMENTS = (
    Measurement(
        (
            Row(
                4,
                "bad inputs that are refused with file:line:col, rule and help, and leave the outputs unchanged",
                "all of at least 150",
            ),
        ),
        _bad_inputs,
        only_long=True,
    ),
    Measurement(
        (Row(5, "everyday snippets that render as on GitHub; differences without a message", "95%; 0"),),
        _snippets,
        only_long=True,
    ),
    Measurement(
        (Row(6, "CommonMark 0.31.2 examples that look the same", "at least 411"),),
        _commonmark,
        only_long=True,
    ),
    Measurement(
        (Row(23, "attack requests on the preview that get an answer", "0 of at least 100"),),
        _requests,
        only_long=True,
    ),
    Measurement((Row(24, "attacks in cards that succeed in a browser", "0"),), _vectors, only_long=True),
    Measurement(
        (Row(25, "attacks by card code on `verify` that are contained; false passes", "all; 0"),),
        _attacks_by_code,
        only_long=True,
    ),
    Measurement(
        (Row(32, "attacks by a cloned deck that run or read something", "0 of at least 40"),),
        _cloned_decks,
        only_long=True,
    ),
    Measurement((Row(45, "tests that the gate leaves out and that fail", "0"),), _left_out, only_long=True),
)
