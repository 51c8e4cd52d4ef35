"""The gateway's rules, without I/O: what a session looks like, and whether an answer may be recorded."""
