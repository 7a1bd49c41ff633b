"""Scans Markdown, keeping the position of everything, and renders it to HTML.

Python-Markdown only serialises the element tree.
"""
