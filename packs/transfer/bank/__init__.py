"""The bank behind the transfers: a port, the embedded one of double entry, and one in memory for tests."""
