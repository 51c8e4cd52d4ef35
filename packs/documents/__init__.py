"""Files of a session and past conversations: found and read by an agent loop."""
