"""What an update does to learners: a collection as it was published, against the sources as they are."""
