"""The socket: its endpoint, and how a session's events reach it."""
