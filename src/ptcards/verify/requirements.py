"""What `requires` in deck.toml asks for, and whether an installed version is enough.

The part of https://packaging.python.org/specifications/dependency-specifiers/ that an author needs: a name and versions;
no markers, no addresses.
"""

import re
from dataclasses import dataclass
from typing import Self

_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[\w\s,.-]*\])?\s*(?:\((.*)\)|(.*?))\s*"
)
_CLAUSE = re.compile(r"\s*(===|==|!=|~=|>=|<=|>|<)\s*v?(\d[\w.!+*-]*)\s*")
_VERSION = re.compile(
    r"v?(?:\d+!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(.*)", re.IGNORECASE
)
_FINAL = 4
_DEV = 0
_PRE_RELEASES = {"a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3}

_Version = tuple[tuple[int, ...], int, int]


@dataclass(frozen=True, slots=True)
class Requirement:
    """A distribution by its normalised name, as it was written, and the clauses that its version must meet."""

    name: str
    written: str
    clauses: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, written: str) -> Self | None:
        """Read a requirement such as `torch>=2.13,<3`; None if it is no such thing."""
        found = _REQUIREMENT.fullmatch(written)
        if not found:
            return None
        listed = [part for part in (found[2] or found[3] or "").split(",") if part.strip()]
        clauses = [_CLAUSE.fullmatch(part) for part in listed]
        if not all(clauses):
            return None
        name = re.sub(r"[-_.]+", "-", found[1]).lower()
        return cls(name, written.strip(), tuple((clause[1], clause[2]) for clause in clauses if clause))

    def is_met_by(self, version: str) -> bool:
        """Say whether an installed version is enough; what stands behind `+` in it does not count."""
        return all(_holds(version.partition("+")[0], operator, wanted) for operator, wanted in self.clauses)


def _holds(version: str, operator: str, wanted: str) -> bool:
    if operator == "===":
        return version == wanted
    if operator == "~=":
        prefix = wanted.rpartition(".")[0]
        return _holds(version, ">=", wanted) and _holds(version, "==", f"{prefix}.*")
    if wanted.endswith(".*"):
        parts = tuple(int(part) for part in re.findall(r"\d+", wanted))
        same = (_parse(version)[0] + (0,) * len(parts))[: len(parts)] == parts
        return same if operator == "==" else not same
    have, want = _aligned(_parse(version), _parse(wanted.partition("+")[0]))
    match operator:
        case "==":
            return have == want
        case "!=":
            return have != want
        case ">=":
            return have >= want
        case "<=":
            return have <= want
        case ">":
            return have > want
        case _:
            # A pre-release of what is excluded is excluded too.
            return have < want and not (have[0] == want[0] and have[1] < _FINAL == want[1])


def _parse(version: str) -> _Version:
    """Give the release, how final it is, and the number of the pre-release; post-releases count as the release."""
    found = _VERSION.fullmatch(version)
    if not found:
        return (), _FINAL, 0
    release = tuple(int(part) for part in found[1].split("."))
    if found[2]:
        return release, _PRE_RELEASES[found[2].lower()], int(found[3] or 0)
    return release, _DEV if "dev" in found[4] and "post" not in found[4] else _FINAL, 0


def _aligned(one: _Version, other: _Version) -> tuple[_Version, _Version]:
    length = max(len(one[0]), len(other[0]))
    pad = [
        (release + (0,) * (length - len(release)), stage, number) for release, stage, number in (one, other)
    ]
    return pad[0], pad[1]
