"""A pack for tests: tools whose effects on the world outside can be counted afterwards."""
