"""Who is who across releases: GUIDs, the lock, modification times."""
