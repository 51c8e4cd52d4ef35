"""Devices that people share (source design 000)."""
