"""Imports a deck that was made with another tool, once, and writes it as sources."""
