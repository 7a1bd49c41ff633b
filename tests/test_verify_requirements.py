"""What `requires` asks for, held against what pip itself thinks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from ptcards.verify.requirements import Requirement

RELEASES = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
VERSIONS = st.builds(
    lambda release, end: release + end, RELEASES, st.sampled_from(("", "", "a1", "b2", "rc1", "rc2", "+cpu"))
)
OPERATORS = st.sampled_from((">=", "<=", ">", "<", "==", "!="))
CLAUSES = st.one_of(
    st.builds(lambda operator, release: operator + release, OPERATORS, RELEASES),
    st.builds(lambda operator, release: f"{operator}{release}.*", st.sampled_from(("==", "!=")), RELEASES),
    RELEASES.filter(lambda release: "." in release).map(lambda release: f"~={release}"),
)


@given(VERSIONS, st.lists(CLAUSES, max_size=3))
@settings(deadline=None, max_examples=300)
def test_versions_compare_as_pip_compares_them(version: str, clauses: list[str]) -> None:
    requirement = Requirement.read("torch" + ",".join(clauses))
    assert requirement is not None
    assert requirement.is_met_by(version) == SpecifierSet(",".join(clauses)).contains(
        Version(version), prereleases=True
    )


@pytest.mark.parametrize(
    ("written", "name", "clauses"),
    [
        ("torch", "torch", ()),
        (" torch >= 2.13 , < 3 ", "torch", ((">=", "2.13"), ("<", "3"))),
        ("Typing_Extensions", "typing-extensions", ()),
        ("torch[opt-einsum]>=2", "torch", ((">=", "2"),)),
        ("torch (>=2)", "torch", ((">=", "2"),)),
    ],
)
def test_a_requirement_is_read(written: str, name: str, clauses: tuple[tuple[str, str], ...]) -> None:
    assert Requirement.read(written) == Requirement(name, written.strip(), clauses)


@pytest.mark.parametrize(
    "written", ["", "torch 2", "torch=2", "torch>=", "torch; python_version>'3'", "a @ https://b", "-r x"]
)
def test_what_is_no_requirement_is_refused(written: str) -> None:
    assert Requirement.read(written) is None
