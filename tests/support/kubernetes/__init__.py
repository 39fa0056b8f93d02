"""A Kubernetes API for fast tests: as much of it as our client and sync use, over real HTTP.

tests/e2e/kubernetes runs the same suites on a real one; where they differ, this one is wrong.
"""
