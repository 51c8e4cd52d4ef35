"""A pack for tests: tools that reach for everything that is not theirs, from a worker process."""
