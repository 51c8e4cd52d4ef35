"""Measurements, never tests: ratios against peers taken in one sitting on the same servers, and figures of our own."""
