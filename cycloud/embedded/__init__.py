"""The whole portal in one process, for a laptop: web, worker, beat and two simulated clouds."""
