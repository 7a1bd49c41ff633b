"""Diagnostics as text: for people, for editors, for programs and for GitHub. Text in, text out."""
