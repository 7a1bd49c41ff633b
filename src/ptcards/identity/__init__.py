"""The identity of notes across releases: GUIDs, the lock and modification times."""
