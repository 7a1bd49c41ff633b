"""The live preview: a local server that shows cards while you write them."""

COMMANDS = {"Write": {"serve": "Show the cards in the browser while you write them."}}
