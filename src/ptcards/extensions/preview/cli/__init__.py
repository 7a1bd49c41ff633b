"""The command serve."""
