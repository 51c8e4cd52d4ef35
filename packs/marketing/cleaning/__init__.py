"""Making texts comparable: clean characters, languages, duplicates."""
