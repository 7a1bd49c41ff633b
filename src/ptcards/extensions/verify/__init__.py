"""Runs the Python code on the cards, and compares its output with the output that the cards show."""

COMMANDS = {"More": {"verify": "Run the Python code on the cards and check its output."}}
