"""Which cases of a test marked `sampled` the gate runs."""

import subprocess
import sys
from pathlib import Path

import pytest

CASES = "tests/identity/test_identity_sequences.py::test_no_learner_finds_a_schedule_at_another_note"


@pytest.mark.slow
def test_a_case_is_sampled_whichever_others_are_run() -> None:
    """The gate runs what failed once more: a case that counted as another one then would be left out."""
    cases = [f"{CASES}[{number}]" for number in (5, 6, 10)]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-m", "not long", *cases],
        cwd=Path(__file__).parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    assert [line for line in done.stdout.splitlines() if "::" in line] == [cases[0], cases[2]]
