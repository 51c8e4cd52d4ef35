"""Questions about a table as it is: what is asked becomes a typed request, that a query, that sentences."""
