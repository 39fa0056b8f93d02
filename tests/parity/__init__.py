"""Both faces do the same, and as the protos say."""
