"""The toolbox: leases on groups of tools, across processes, so that no group is used beyond its capacity."""
