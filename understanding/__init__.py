"""What a person's turn means: a room below the services, above backbone. It knows contracts and packs' manifests."""
