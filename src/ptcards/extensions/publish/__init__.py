"""Publishing: releases that learners follow in Anki, and corrections that come back."""

COMMANDS = {
    "Publish": {
        "release": "Publish a version as a folder that any web server can serve.",
        "inbox": "List corrections by others, and write accepted ones into the Markdown.",
    },
}
