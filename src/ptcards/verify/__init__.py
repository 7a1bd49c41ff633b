"""Runs the Python on the cards and compares what it prints with what the cards say it prints."""
