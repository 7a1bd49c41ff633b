"""Decides what a release changes in a learner's Anki. Needs nothing but the standard library.

The add-on ships this room. A feed and its package may come from anybody, so every value is checked first.
"""
