"""Text to notes: the block scanner, the inline scanner and the parser of sources."""
