"""What Cycloud needs in a Kubernetes API before it can work there, and whether it is there (docs/kubernetes.md)."""
