"""Comparison with GitHub's own engine."""
