"""Scans Markdown with the positions of everything, and renders it to HTML.

Python-Markdown only serialises the element tree.
"""
