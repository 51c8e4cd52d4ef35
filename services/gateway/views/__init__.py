"""What clients send and are shown, and how streams are read back for it."""
