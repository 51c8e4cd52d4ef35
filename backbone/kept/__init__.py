"""Results of pure tools, kept so that nothing is made twice (docs/adr/0056-nothing-twice.md)."""
