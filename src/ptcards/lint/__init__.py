"""Checks of sources: the rules, their explanations and their fixes."""
