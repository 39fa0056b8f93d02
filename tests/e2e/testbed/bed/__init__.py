"""The parts of the test bed's command line (osbed.py): one module per idea, no dependencies."""
