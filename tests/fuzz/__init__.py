"""Requests that no client means: clear refusals, never a server error, no growth of memory."""
