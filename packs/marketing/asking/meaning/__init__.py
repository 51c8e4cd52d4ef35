"""What a question about a table means where its words are no known ones: learned from questions and their requests."""
