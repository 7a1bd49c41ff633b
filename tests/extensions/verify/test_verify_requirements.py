"""The requirements in `requires`, and which of them a Python lacks."""

import pytest

from ptcards.extensions.verify.requirements import lacking, read_requirement

INSTALLED = {"torch": "2.13.0+cpu", "typing-extensions": "4.12.2", "odd": "not a version"}


@pytest.mark.parametrize(
    ("written", "missing"),
    [
        ("torch", []),
        (" torch >= 2.13 , < 3 ", []),
        ("torch==2.13", []),
        ("torch<=2.13", []),
        ("torch[opt-einsum]>=2", []),
        ("torch (>=2)", []),
        ("Typing_Extensions", []),
        ("torch>2.13", [("torch>2.13", "2.13.0+cpu is installed")]),
        ("torch~=2.14.0", [("torch~=2.14.0", "2.13.0+cpu is installed")]),
        ("numpy>=2", [("numpy>=2", "not installed")]),
        ("odd", []),
        ("odd>=1", [("odd>=1", "not a version is installed")]),
    ],
)
def test_what_is_lacking_is_named_with_what_is_there(written: str, missing: list[tuple[str, str]]) -> None:
    requirement = read_requirement(written)
    assert requirement is not None
    assert [(str(each), state) for each, state in lacking([requirement], INSTALLED)] == missing


def test_a_version_before_the_release_is_enough_where_it_is_newer() -> None:
    requirement = read_requirement("torch>=2.13")
    assert requirement is not None
    assert [*lacking([requirement], {"torch": "2.14.0a1"})] == []


@pytest.mark.parametrize(
    "written",
    ["", "torch 2", "torch=2", "torch>=", "torch; python_version>'3'", "a @ https://b", "-r x", "torch~=2"],
)
def test_what_is_not_a_distribution_with_versions_is_refused(written: str) -> None:
    assert read_requirement(written) is None
