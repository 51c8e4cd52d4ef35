"""A pack for tests: an agent that is offered a tool which a person has to approve."""
