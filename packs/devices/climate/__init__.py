"""What the weather usually is, from an embedded table."""
