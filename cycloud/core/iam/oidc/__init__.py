"""People whom an OpenID Connect provider knows: bearer tokens of it, and signing in to the console with it.

Off unless ``CYCLOUD_OIDC_ISSUER`` is set; docs/iam.md tells how to set it up.
"""
