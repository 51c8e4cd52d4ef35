"""The artifact store: files addressed by the SHA-256 of their bytes."""
