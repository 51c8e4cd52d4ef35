"""What readers of packs may use of this room: pure functions over what was said. The door for packs, as port is for
services; nothing behind it knows a model, weights or a pack."""
