"""See the pack."""
