"""The pack's tools: each module has one run(), each YAML beside it its contract."""
