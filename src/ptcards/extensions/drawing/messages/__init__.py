"""What the commands of this extension report, each file a topic."""
