"""A person's calendar and to-do list: one port, kept here, on a CalDAV server, or at Google."""
