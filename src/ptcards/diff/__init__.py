"""How an update affects learners: compares a published collection with the current sources."""
