"""The command draw."""
