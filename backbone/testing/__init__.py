"""What tests stand on: builders of facts, and one conformance suite per port that every adapter inherits."""
