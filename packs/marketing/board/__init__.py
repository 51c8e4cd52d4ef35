"""The dashboard: key figures, charts and tables as one page that needs nothing but itself, and as a picture of it."""
