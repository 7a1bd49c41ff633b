"""What `requires` in deck.toml asks for, and what of it a Python lacks."""

from collections.abc import Iterable, Iterator, Mapping

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion


def read_requirement(written: str) -> Requirement | None:
    """Return a requirement such as `torch>=2.13,<3`; `None` for anything but a distribution with versions."""
    try:
        found = Requirement(written)
    except InvalidRequirement:
        return None
    return None if found.marker or found.url else found


def name_of(requirement: Requirement) -> str:
    """Return the name of a distribution as `pip` compares it."""
    return canonicalize_name(requirement.name)


def names_of(requires: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the distributions that `requires` asks for."""
    return tuple(name_of(each) for written in requires if (each := read_requirement(written)))


def lacking(
    requirements: Iterable[Requirement], installed: Mapping[str, str]
) -> Iterator[tuple[Requirement, str]]:
    """Yield the requirements that are not met, each with what is there instead."""
    for each in requirements:
        version = installed.get(name_of(each))
        if version is None:
            yield each, "not installed"
        elif not _is_met(each, version):
            yield each, f"{version} is installed"


def _is_met(requirement: Requirement, version: str) -> bool:
    # A Python that a deck names may report any version.
    try:
        return requirement.specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False
