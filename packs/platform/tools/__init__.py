"""Tools of the platform itself."""
