"""Tools of the documents pack, and what they promise."""
