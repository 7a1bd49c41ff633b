"""Reads sources: one module for each dialect, and what turns their cards into notes."""
