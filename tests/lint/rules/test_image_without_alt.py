"""The rule `image-without-alt`."""

from rules import QUESTION, table

test_advice = table(
    # A sound and a video.
    (f"{QUESTION}![](word.wav) ![](walk.MP4)\n", []),
    # Pictures with a text, and code.
    ({"a.md": f"{QUESTION}![A line](a.svg)\n", "a.svg": "<svg/>"}, []),
    (
        {
            "a.md": f'{QUESTION}<img src="a.svg" alt="A line">\n\n`![](a.svg)`\n',
            "a.svg": "<svg/>",
        },
        [],
    ),
    (
        {
            "a.md": f"{QUESTION}See ![](a.svg) and ![ ](a.svg).\n",
            "a.svg": "<svg/>",
        },
        [
            "3:5+10 hint: this picture has no alternative text",
            "3:20+11 hint: this picture has no alternative text",
        ],
    ),
    (
        {
            "a.md": f'{QUESTION}See <img src="a.svg"> there.\n',
            "a.svg": "<svg/>",
        },
        ["3:5+17 hint: this picture has no alternative text"],
    ),
    (
        {
            "a.md": f"{QUESTION}[![][it]](https://example.org)\n\n[it]: a.svg\n",
            "a.svg": "<svg/>",
        },
        ["3:2+7 hint: this picture has no alternative text"],
    ),
    # Diagrams, whether they have been drawn or not.
    (f'{QUESTION}```dot alt="A line"\ngraph {{}}\n```\n\n```mermaid\ngraph LR\naccTitle: A\n```\n', []),
    (
        f"{QUESTION}See:\n\n```dot\ngraph {{}}\n```\n",
        ["5:1+6 hint: this diagram has no alternative text"],
    ),
)
