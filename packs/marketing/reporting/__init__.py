"""From insights to a PDF: facts, sentences, charts, pages."""
