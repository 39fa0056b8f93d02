"""Generated from proto/cycloud/networking/v1 by `make proto`."""
