"""Good ones in acts.py, bad ones in bad.py. What they begin and effect is in the files of the outbox."""
