"""Dialects: readers from one source's text to the parts of its notes, which everything behind them shares."""
