"""The commands release and inbox."""
