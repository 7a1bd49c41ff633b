"""Compiling many sources: each by itself, in several processes, and never twice."""
