"""The rule `wiki-link`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}It calls [[UDP|udp]] and [[net/TCP#Flags]].\n",
        [
            "3:10+11 warning: `[[UDP|udp]]` is shown literally",
            "3:26+17 warning: `[[net/TCP#Flags]]` is shown literally",
        ],
    ),
    # Code, a picture (which is a different error), a reference to a target, an array of arrays.
    (f"{QUESTION}`[[a]]` and ![[a.png]] and [[a]][b] and $[[1]]$.\n\n[b]: https://example.org\n", []),
)
