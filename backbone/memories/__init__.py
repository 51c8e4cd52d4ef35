"""What is remembered of each person, across sessions: kept in Postgres, found by meaning and by letters."""
