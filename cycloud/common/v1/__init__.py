"""Generated from proto/cycloud/common/v1 by `make proto`."""
