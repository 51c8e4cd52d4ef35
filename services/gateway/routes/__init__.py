"""REST: one module per noun. Handlers read raw requests and answer bytes; openapi.py describes the same addresses."""
