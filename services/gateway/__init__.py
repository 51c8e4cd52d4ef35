"""The gateway: the only service that talks to people and their programs."""
