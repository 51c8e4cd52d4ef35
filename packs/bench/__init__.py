"""Measures the platform, not the tools: a command whose todos do nothing. Loaded only when DREAM_PACKS names it."""
