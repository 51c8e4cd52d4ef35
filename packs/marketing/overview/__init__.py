"""What a table without texts tells: its figures as a whole, by group and over time."""
