"""The rules: one class each, and one file for each topic; `registry.py` explains how to add one."""
