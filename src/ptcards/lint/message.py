"""What commands report: each message has a name, a severity and an explanation."""

import re
from collections.abc import Mapping
from inspect import cleandoc
from types import MappingProxyType

from ptcards.diagnostics import Severity

NO_LIMITS: Mapping[str, int] = MappingProxyType({})

_INDENT = re.compile(r"^ {4}", re.MULTILINE)
_EXAMPLE = re.compile(r"^ {4}.*(?:\n+ {4}.*)*", re.MULTILINE)


class Message:
    """A message; its docstring is the explanation, which begins with one sentence about what is wrong.

    The name comes from the class: `NoAnswer` is `no-answer`. `severity` is `error`, `warning` or `hint`, or
    several of them joined by ` or `. A message is `elsewhere` if only commands other than `check` report it;
    `check` then never reports its `ignore` as unused. Only rules have `limits`, are `off` or about `english`
    wording, or have a fix.
    """

    name: str
    severities: tuple[Severity, ...]
    elsewhere: bool
    limits: Mapping[str, int] = NO_LIMITS
    off = english = has_fix = False

    def __init_subclass__(cls, *, severity: str = "", elsewhere: bool = False) -> None:
        super().__init_subclass__()
        cls.name = re.sub(r"(?<=.)(?=[A-Z])", "-", cls.__name__).lower()
        cls.severities = tuple(map(Severity, severity.split(" or "))) if severity else ()
        cls.elsewhere = elsewhere

    @property
    def severity(self) -> str:
        """The severities as text, followed by `off` if it is a rule that is off by default."""
        return " or ".join(self.severities) + (", off" if self.off else "")

    @property
    def topic(self) -> str:
        """What it is about: the name of its file as words."""
        return type(self).__module__.rpartition(".")[2].replace("_", " ").capitalize()

    @property
    def text(self) -> str:
        """The explanation in Markdown: the problem, the reason, an example and the fix."""
        return cleandoc(self.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first paragraph, without the full stop."""
        return " ".join(self.text.partition("\n\n")[0].split()).removesuffix(".")

    @property
    def wrong(self) -> str:
        """The example of what is wrong, or words that say when it happens."""
        return self._example("For instance") or self._example("When:")

    @property
    def right(self) -> str:
        """The example with the fix, or nothing if words describe the fix."""
        return self._example("Fix:")

    def _example(self, head: str) -> str:
        """Return the first example below a head, without its indentation."""
        found = _EXAMPLE.search(self.text.partition(f"\n\n{head}")[2].partition("\n\nFix:")[0])
        return _INDENT.sub("", found[0]) if found else ""

    @property
    def explanation(self) -> str:
        """The text, followed by how to set the limits."""
        if not self.limits:
            return f"{self.text}\n"
        limits = "".join(f"    {name} = {limit}\n" for name, limit in self.limits.items())
        return f"{self.text}\n\nLimits, in `deck.toml`:\n\n    [check.limits]\n{limits}"
