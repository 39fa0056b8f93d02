"""Every resource as a custom resource too: definitions, and the sync in both directions (docs/kubernetes.md)."""
