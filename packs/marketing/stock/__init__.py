"""From a stock table to reorder points and quantities."""
