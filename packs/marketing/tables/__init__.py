"""Reading tables as people have them: any encoding, any delimiter, any column names."""
