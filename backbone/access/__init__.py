"""Who may ask: keys, logins of browsers, and where they are kept."""
