"""Asks the MathJax that Anki ships what it accepts.

    python bench/mathjax.py ANKI-WEB make             writes src/ptcards/markdown/tex.json
    python bench/mathjax.py ANKI-WEB judge FORMULAS    compares its verdicts with ours
    python bench/mathjax.py ANKI-WEB verdicts          writes its verdicts into tests/tex_verdicts.json
    PYTHONPATH=tests python bench/mathjax.py ANKI-WEB chemistry    writes tests/chemistry.json

ANKI-WEB is the folder `_aqt/data/web/js` of an unpacked `aqt` wheel, with `mathjax.js` and `vendor/mathjax`.
FORMULAS is a JSON list of formulas as TeX. The judge runs in the system's Chromium with the packages that
Anki loads, without `noerrors` and `noundefined`, which hide its errors.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from ptcards.anki.tex import definitions_of, problems_in

_DATA = Path(__file__).parent.parent / "src/ptcards/markdown/tex.json"
_VERDICTS = Path(__file__).parent.parent / "tests/tex_verdicts.json"
_CHEMISTRY = Path(__file__).parent.parent / "tests/chemistry.json"
_STRICT = """;
MathJax.tex.packages["[-]"].push("noerrors", "noundefined");
MathJax.tex.packages["[+]"] = MathJax.tex.packages["[+]"].filter(each => each != "noerrors");
"""
_JUDGE = """formulas => {
  const jax = MathJax.startup.document.inputJax[0];
  jax.options.formatError = (_, error) => { throw error; };
  return formulas.map(tex => {
    for (const kind of ["macro", "environment", "delimiter", "character"])
      for (const { item } of jax.parseOptions.handlers.get(kind)._configuration.items)
        if (/^(new-|ams-declare|mathtools-paired)/.test(item.name)) item.map.clear();
    jax.reset();
    try { MathJax.tex2mml(tex); return "ok"; }
    catch (error) { return error.id ?? (error.retry ? "Network" : "Crash"); }
  });
}"""
_NAMES = """kind => MathJax.startup.document.inputJax[0].parseOptions.handlers.get(kind)._configuration.items
  .flatMap(({ item }) => [...(item.map?.keys() ?? [])])"""
_UNKNOWN = r"\unknownthing"
# Where a command is accepted that is refused alone.
_FRAMES = {
    "": "{}",
    "e": r"\begin{{align}}a\\{}\end{{align}}",
    "p": r"\sum{}",
    "b": "{} a",
    "t": r"\begin{{array}}{{c}}a\\{}\end{{array}}",
}
_ARGUMENTS = {
    "MissingArgFor": ("{a}", "{1}"),
    "MissingOrUnrecognizedDelim": ("(",),
    "MissingDimOrUnits": ("{1em}",),
}
# These are read in a way of their own; `anki/tex.py` looks for none of their arguments, or reads them itself.
_SPECIAL = (
    "begin end left right middle def let verb root of buildrel newcommand renewcommand newenvironment"
    " renewenvironment DeclareMathOperator DeclarePairedDelimiter DeclarePairedDelimiters"
    " DeclarePairedDelimiterX DeclarePairedDelimitersX DeclarePairedDelimiterXPP DeclarePairedDelimitersXPP"
    " Newextarrow definecolor genfrac toggle mmlToken mathtoolsset require newtagform renewtagform"
    " usetagform prescript adjustlimits skew sideset uproot leftroot"
).split()


class Judge:
    """MathJax in a page; it remembers its verdicts."""

    def __init__(self, web: Path) -> None:
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        self.page = self.browser.new_page()
        self.page.set_content("<html><body></body></html>")
        self.page.add_script_tag(content=(web / "mathjax.js").read_text("utf-8") + _STRICT)
        self.page.add_script_tag(content=(web / "vendor/mathjax/tex-chtml-full.js").read_text("utf-8"))
        self.page.evaluate("MathJax.startup.promise")
        self.known: dict[str, str] = {}

    def verdicts(self, formulas: Iterable[str]) -> list[str]:
        """Return for each formula `ok` or the name of MathJax's error."""
        formulas = list(formulas)
        new = [tex for tex in dict.fromkeys(formulas) if tex not in self.known]
        for first in range(0, len(new), 2000):
            part = new[first : first + 2000]
            self.known.update(zip(part, self.page.evaluate(_JUDGE, part), strict=True))
        return [self.known[tex] for tex in formulas]

    def verdict(self, tex: str) -> str:
        """Return `ok` or the name of MathJax's error."""
        return self.verdicts([tex])[0]

    def names(self, kind: str) -> list[str]:
        """Return the names of all `macro`s, `environment`s or `delimiter`s."""
        return sorted(set(self.page.evaluate(_NAMES, kind)))

    def packages(self) -> list[str]:
        r"""Return the packages that `\require` finds without a network."""
        loaded = "[...MathJax._.components.package.Package.packages.keys()]"
        names = [
            each.removeprefix("[tex]/") for each in self.page.evaluate(loaded) if each.startswith("[tex]/")
        ]
        return sorted(name for name in names if self.verdict(f"\\require{{{name}}}") == "ok")

    def close(self) -> None:
        """End the browser."""
        self.browser.close()
        self.playwright.stop()


def _called(name: str, arguments: Sequence[str]) -> str:
    return f"\\{name} " + "".join(arguments) if name.isalpha() else f"\\{name}" + "".join(arguments)


def _arguments(judge: Judge, name: str) -> tuple[str, list[str]] | None:
    """Return the frame and the fewest arguments with which MathJax accepts a command."""
    for frame, around in _FRAMES.items():
        lines: list[list[str]] = [[]]
        for _ in range(5):
            verdicts = {tuple(line): judge.verdict(around.format(_called(name, line))) for line in lines}
            for line, verdict in verdicts.items():
                if verdict == "ok":
                    return frame, list(line)
            lines = [[*line, each] for line, why in verdicts.items() for each in _ARGUMENTS.get(why, ())]
    return None


def _signature(judge: Judge, name: str) -> str:
    """Return the letters of a command's arguments and, after a slash, those of its other properties.

    Arguments: `m` formula, `a` formula with `&`, `t` text, `s` other text, `d` delimiter, `e` the same, also
    in braces, `l` length, `o` optional in brackets, `O` the same with a formula, `*` an optional star. A
    command that is read in another way has `?`.
    """
    if name in ("ce", "pu"):
        return "s/"  # a formula to MathJax, but in a language of its own
    found = None if name in _SPECIAL else _arguments(judge, name)
    if found is None:
        return "?/"
    frame, given = found
    around = _FRAMES[frame]

    def accepts(arguments: Sequence[str], form: str = around) -> str:
        return judge.verdict(form.format(_called(name, arguments)))

    letters = []
    for at, each in enumerate(given):
        before, after = given[:at], given[at + 1 :]
        letters += _optional(accepts, before, given[at:])
        if each == "(":
            letters.append("e" if accepts([*before, "{(}", *after]) == "ok" else "d")
        elif each == "{1em}":
            letters.append("l")
        else:
            unknown = accepts([*before, f"{{{_UNKNOWN}}}", *after])
            letters.append("m" if unknown == "UndefinedControlSequence" else "s")
            if accepts([*before, "{a&b}", *after]) == "ok" and letters[-1] == "m":
                letters[-1] = "a"
            if accepts([*before, "{$}", *after]) == "MathNotTerminated":
                letters[-1] = "t"
    letters += _optional(accepts, given, [])
    if given and accepts(["*", *given]) == "ok" and accepts(["*", *given[:-1]]) != "ok":
        letters.insert(0, "*")
    return "".join(letters) + "/" + _properties(judge, name, given, frame)


def _optional(accepts: Callable[[Sequence[str]], str], before: Sequence[str], after: Sequence[str]) -> str:
    """Return the letter of an argument in brackets, or an empty string."""
    if accepts([*before, "[", *after]) not in ("MissingCloseBracket", "ExtraCloseLooking"):
        return ""
    return "O" if accepts([*before, f"[{_UNKNOWN}]", *after]) == "UndefinedControlSequence" else "o"


def _properties(judge: Judge, name: str, given: Sequence[str], frame: str) -> str:
    r"""Return the letters of what a command does to its surroundings.

    `e` only in an alignment, `b` needs something after it, `p` takes `\limits`, `w` cannot be a script
    without braces, `u` and `v` have a superscript and a subscript already, `t` leaves what is
    before it the base of a script, `i` an infix such as `\over`.
    """
    call = _called(name, given)
    around = _FRAMES[frame]

    def verdict(tex: str) -> str:
        return judge.verdict(around.format(tex))

    letters = {"e": "e", "t": "e", "b": "b"}.get(frame, "")
    if frame == "p":
        return "l"
    if frame == "b":
        return letters
    if verdict(f"{call}\\limits") == "ok":
        letters += "p"
    if verdict(f"a^{call}") != "ok":
        letters += "w"
    own = {mark for mark in "^_" if verdict(f"{call}{mark}b") != "ok"}
    if own:
        letters += "u" * ("^" in own) + "v" * ("_" in own)
    elif verdict(f"a^b{call}^c") == "DoubleExponent":
        letters += "t"
    if verdict(f"{call} a{call} a") == "AmbiguousUseOf":
        letters += "i"
    return letters


def _grouped(signatures: Mapping[str, str]) -> dict[str, str]:
    """Return the names with each signature, joined by spaces."""
    groups = defaultdict(list)
    for name, signature in signatures.items():
        groups[signature].append(name)
    return {signature: " ".join(groups[signature]) for signature in sorted(groups)}


def make(judge: Judge) -> None:
    """Write the data that `markdown/tex_commands.py` reads."""
    # Delimiters have their backslash in their names.
    macros = {name[len(name) > 1 and name[0] == "\\" :] for name in judge.names("macro")}
    commands = sorted(
        name
        for name in macros
        if name.strip() == name and judge.verdict(f"\\{name}") != "UndefinedControlSequence"
    )
    known = set(commands)
    environments = judge.names("environment")
    aligned = []
    displays = []
    for name in environments:
        begins = [f"\\begin{{{name}}}{each}" for each in ("", "{c}", "{1}", "{1em}", "{a}")]
        accepted = [each for each in begins if judge.verdict(f"{each}a&b\\end{{{name}}}") == "ok"]
        if accepted:
            aligned.append(name)
        if (
            judge.verdict(f"\\begin{{align}}\\begin{{{name}}}{{1}}a\\end{{{name}}}\\end{{align}}")
            == "ErroneousNestingEq"
        ):
            displays.append(name)
    signatures = {name: _signature(judge, name) for name in commands}
    judge.verdict(r"\require{physics}\dv{x}")
    physics = sorted({name for name in judge.names("macro") if name.isalpha()} - known)
    data = {
        "source": f"MathJax {judge.page.evaluate('MathJax.version')}, written by bench/mathjax.py",
        "commands": _grouped(signatures),
        "environments": " ".join(environments),
        "aligned": " ".join(aligned),
        "displays": " ".join(displays),
        "delimiters": " ".join(judge.names("delimiter")),
        "physics": " ".join(physics),
        "packages": " ".join(judge.packages()),
    }
    _DATA.write_text(json.dumps(data, indent=0, ensure_ascii=False) + "\n", "utf-8")


def compare(judge: Judge, formulas: Sequence[str]) -> None:
    """Print how often we report what MathJax accepts, and miss what it refuses."""
    tally: dict[str, list[str]] = defaultdict(list)
    for tex, verdict in zip(formulas, judge.verdicts(formulas), strict=True):
        ours = next(iter(problems_in(tex, definitions_of(tex))), None)
        if verdict == "ok":
            tally["accepted"].append(tex)
            if ours:
                tally[f"false alarm {ours.mistake.value}"].append(tex)
        else:
            tally["refused"].append(tex)
            if not ours:
                tally[f"missed {verdict}"].append(tex)
    for name, texts in sorted(tally.items()):
        print(f"{len(texts):6} {name}")
        if name not in ("accepted", "refused"):
            for tex in texts[:5]:
                print(f"         {tex[:150]!r}")


def write_verdicts(judge: Judge) -> None:
    """Write what MathJax says about each formula of the tests."""
    formulas = sorted(json.loads(_VERDICTS.read_text("utf-8")))
    verdicts = dict(zip(formulas, judge.verdicts(formulas), strict=True))
    _VERDICTS.write_text(json.dumps(verdicts, indent=0, ensure_ascii=False) + "\n", "utf-8")


def write_chemistry(judge: Judge) -> None:
    """Write the shape that mhchem gives to each formula of the tests."""
    from mathml_shape import shape  # noqa: PLC0415 - of the tests, which also take the shape of ours

    formulas = sorted(json.loads(_CHEMISTRY.read_text("utf-8")))
    shapes = {tex: shape(judge.page.evaluate("tex => MathJax.tex2mml(tex)", tex)) for tex in formulas}
    _CHEMISTRY.write_text(json.dumps(shapes, indent=0, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Run one of the commands."""
    judge = Judge(Path(sys.argv[1]))
    try:
        if sys.argv[2] == "make":
            make(judge)
        elif sys.argv[2] == "verdicts":
            write_verdicts(judge)
        elif sys.argv[2] == "chemistry":
            write_chemistry(judge)
        else:
            compare(judge, json.loads(Path(sys.argv[3]).read_text("utf-8")))
    finally:
        judge.close()


if __name__ == "__main__":
    main()
