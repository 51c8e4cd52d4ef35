"""Traces, metrics and logs: how operators see what happens."""
