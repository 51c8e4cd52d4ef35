"""The platform's own words: questions about plans, answers around results, endings. Always loaded; no tools."""
