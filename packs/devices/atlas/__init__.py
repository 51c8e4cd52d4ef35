"""Where things are: an embedded table of places, roads between them, and the way from one to another."""
