"""Dialects: each reader turns a source's text into the parts of its notes. All later steps are shared."""
