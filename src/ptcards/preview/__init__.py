"""The live preview: a local server that shows cards while you write them."""
