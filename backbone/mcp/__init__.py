"""Tools of MCP servers, as tools of the catalogue. The library `mcp` enters here, in `session` alone.

One process talks to a server: the executor of its route (`hosting`). The others ask it for the tools (`asking`)."""
