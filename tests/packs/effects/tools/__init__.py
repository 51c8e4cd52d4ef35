"""Tools with outside effects, over the outbox."""
