"""The rules: each is a class, in a file of its own or in that of its family; `registry.py` says how."""
