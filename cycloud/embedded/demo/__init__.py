"""The tour's story, told on a running portal over REST: ``manage.py demo``."""
