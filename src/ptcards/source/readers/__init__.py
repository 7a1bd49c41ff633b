"""Dialects: each reader turns a source's text into the parts of its notes; all else is shared."""
