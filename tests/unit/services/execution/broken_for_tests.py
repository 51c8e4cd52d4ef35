"""A tool whose module cannot be imported."""

raise RuntimeError("the model file is missing")
