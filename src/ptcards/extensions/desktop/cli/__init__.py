"""The commands push, pull and reviews."""
