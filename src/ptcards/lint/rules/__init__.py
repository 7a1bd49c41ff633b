"""The rules, each a class, in files by family; `registry.py` explains how to add one."""
