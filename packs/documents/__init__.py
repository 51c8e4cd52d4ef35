"""Documents and past conversations, read by an agent loop (source design 003)."""
