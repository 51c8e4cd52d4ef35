"""Images of the services and the whole product in containers: what `make images`, `make compose-…` do."""
