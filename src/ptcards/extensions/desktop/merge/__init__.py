"""Merges what an author published with what somebody edited. Needs nothing but the standard library."""
