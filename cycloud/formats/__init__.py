"""How dates are written, by language (FORMAT_MODULE_PATH)."""
