"""The tools of the pack, one module each, described in the YAML file of the same name."""
