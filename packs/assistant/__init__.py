"""Calendar, memory and reminders by workers in parallel (source design 001)."""
