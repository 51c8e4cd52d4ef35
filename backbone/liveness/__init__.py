"""Whose turn it is: for every open run its next actor and the deadline, computed from the ledger (invariant I7)."""
