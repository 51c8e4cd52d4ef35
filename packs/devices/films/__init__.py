"""Short films, drawn by code when they are asked for."""
