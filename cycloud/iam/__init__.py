"""Generated from proto/cycloud/iam by `make proto`."""
