"""The command verify."""
