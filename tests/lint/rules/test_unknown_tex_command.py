"""The rule `unknown-tex-command`."""

from rules import QUESTION, table

test_advice = table(
    # Commands of the packages that Anki loads, text, code, and a name that the note defines.
    (
        f"{QUESTION}$\\alpha \\coloneqq \\cancel{{x}} \\; \\ce{{H2O}} \\text{{a}} \\xrightarrow{{b}} \\bra{{c}}$ `\\foo`\n",
        [],
    ),
    (f"{QUESTION}$\\newcommand{{\\RR}}{{\\mathbb{{R}}}} \\RR$\n\n$$\\RR^n$$\n", []),
    (
        f"{QUESTION}$\\alhpa + \\frc{{1}}{{2}}$\n",
        [
            "3:2+6 warning: MathJax does not know `\\alhpa`",
            "3:11+4 warning: MathJax does not know `\\frc`",
        ],
    ),
    (f"{QUESTION}```math\nx +\n\\SI{{3}}\n```\n", ["5:1+3 warning: MathJax does not know `\\SI`"]),
    (
        f"{QUESTION}$\\require{{siunitx}} x$\n",
        ["3:2+17 warning: Anki's MathJax would load `siunitx` from the network"],
    ),
)
