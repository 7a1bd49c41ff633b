"""Everything about Markdown: scanners that know places, and the HTML.

Python-Markdown only writes out the tree.
"""
