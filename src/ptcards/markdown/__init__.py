"""Everything about Markdown: scanners that keep positions, and rendering to HTML.

Python-Markdown only writes out the tree.
"""
