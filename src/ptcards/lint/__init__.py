"""Advice: the rules, what they find, what they mean and what fixes it."""
