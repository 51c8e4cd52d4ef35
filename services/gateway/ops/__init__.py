"""What operators look at: dead letters, and runs with their next actors."""
