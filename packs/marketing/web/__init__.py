"""Reviews from the web: checked addresses, bounded fetching, and feeds, pages and tables as rows."""
