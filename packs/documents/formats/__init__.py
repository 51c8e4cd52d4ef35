"""Documents as pages of text, whatever their format."""
