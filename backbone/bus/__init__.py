"""The bus: JetStream as the ledger's live tail. Its store may vanish at any time; the ledger re-drives it."""
