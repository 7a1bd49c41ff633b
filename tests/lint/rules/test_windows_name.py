"""The rule `windows-name`."""

from rules import QUESTION, table

test_advice = table(
    (dict.fromkeys(("con-deck.md", "a.b/..c/x y.md", "…/com10.md"), f"{QUESTION}`zero_grad`\n"), []),
    *(
        ({name: f"{QUESTION}One.\n"}, [f"1:1+1 hint: Windows cannot have a file or folder called `{bad}`"])
        for name, bad in (
            ("con.md", "con.md"),
            ("Aux.de.md", "Aux.de.md"),
            ("what?.md", "what?.md"),
            ("a:b.md", "a:b.md"),
            ("a\\b.md", "a\\b.md"),
            ("dot./a.md", "dot."),
            ("blank /a.md", "blank "),
            ("com1/a.md", "com1"),
            ("a|b/x.md", "a|b"),
        )
    ),
    (
        {
            "a.md": f"{QUESTION}![A](img/a.svg) ![B](img/b%3F.svg)\n",
            "img/a.svg": "<svg/>",
            "img/b?.svg": "<svg/>",
        },
        ["3:22+12 hint: Windows cannot have a file or folder called `b?.svg`"],
    ),
    ({"a.md": f'---\ninlines: "obsidian"\n---\n\n{QUESTION}![[a.svg]]\n', "a.svg": "<svg/>"}, []),
)
