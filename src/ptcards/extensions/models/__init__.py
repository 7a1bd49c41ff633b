"""For programs that write notes: adds notes after every check, and serves the tools of language models."""

COMMANDS = {
    "More": {
        "add": "Add notes to a collection, after every check, or refuse them.",
        "mcp": "Let a model find, check and draft notes, over the Model Context Protocol.",
    },
}
