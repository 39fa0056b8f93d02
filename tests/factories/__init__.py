"""Test data: one factory per table, with related rows made on the way."""
