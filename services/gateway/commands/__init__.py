"""Recording what people want: each command is judged under the lock of its session's stream."""
