"""Generated from proto/cycloud/networking by `make proto`."""
