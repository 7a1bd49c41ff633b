"""The rules. Each is a class, in its own file or in its family's; `registry.py` explains how to add one."""
