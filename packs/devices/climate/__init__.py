"""What the weather usually is, from an embedded table; and what it will be, from a service outside."""
