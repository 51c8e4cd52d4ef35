"""The wire: what services, packs, clients and the ledger say to each other. Pydantic and the standard library only."""
