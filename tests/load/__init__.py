"""Benchmarks: figures that are ratios within one run (docs/benchmarks.md). ``python -m tests.load --help``."""

import os

import django

# the benchmark's own process needs the models only; what it measures runs in processes with settings of their own
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cycloud.settings.test")
os.environ.setdefault("CYCLOUD_LOG_LEVEL", "WARNING")
django.setup()
