"""Controllers of compute: load, observe, decide, apply, publish. Every rule is in ``compute.domain``."""
