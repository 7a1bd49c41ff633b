"""The commands add and mcp."""
