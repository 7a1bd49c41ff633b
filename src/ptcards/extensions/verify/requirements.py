"""The packages that `requires` in `deck.toml` names, and which of them a Python lacks."""

from collections.abc import Iterable, Iterator, Mapping

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion


def read_requirement(written: str) -> Requirement | None:
    """Return a requirement such as `torch>=2.13,<3`, or `None` if it is not a package name with versions."""
    try:
        found = Requirement(written)
    except InvalidRequirement:
        return None
    return None if found.marker or found.url else found


def name_of(requirement: Requirement) -> str:
    """Return the name of a package in the form that `pip` compares."""
    return canonicalize_name(requirement.name)


def lacking(
    requirements: Iterable[Requirement], installed: Mapping[str, str]
) -> Iterator[tuple[Requirement, str]]:
    """Yield the requirements that are not met, each with a note on what is installed."""
    for requirement in requirements:
        version = installed.get(name_of(requirement))
        if version is None:
            yield requirement, "not installed"
        elif not _is_met(requirement, version):
            yield requirement, f"{version} is installed"


def _is_met(requirement: Requirement, version: str) -> bool:
    # The Python may come from a deck, and report any version.
    try:
        return requirement.specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False
