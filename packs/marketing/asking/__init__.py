"""Questions about a table as it is: what is asked becomes one typed request, the request a query, the query sentences."""
