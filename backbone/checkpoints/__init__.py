"""Where LangGraph keeps its checkpoints: in the ledger's database, as a cache over the ledger."""
