"""Generated from proto/cycloud/iam/v1 by `make proto`."""
