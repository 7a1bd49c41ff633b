"""The live preview: a server on this computer that shows cards while they are written."""
