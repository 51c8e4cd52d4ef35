"""Understanding by a model, over backbone.model.port: what it says is held against the sentence."""
