"""A pack for tests: tools that behave in every way a dispatcher has to cope with, and commands of every strategy."""
