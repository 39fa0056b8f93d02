"""Hearing of what others write in Kubernetes, and comparing all of it now and then: both end in marks in the queue."""
