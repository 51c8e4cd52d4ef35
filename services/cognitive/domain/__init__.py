"""The rules of layer 1, pure: no I/O, clock, random or logging."""
