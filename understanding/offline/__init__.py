"""Understanding one sentence in Korean, English or Japanese without a network, a key or a random number."""
