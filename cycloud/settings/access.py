"""Who may come in, and how often: the OpenID provider and the rate limits (docs/iam.md)."""

from cycloud.env import Env

_env = Env()

# -- OpenID Connect: off without an issuer
CYCLOUD_OIDC_ISSUER = _env.str("CYCLOUD_OIDC_ISSUER", "")
CYCLOUD_OIDC_AUDIENCE = _env.list("CYCLOUD_OIDC_AUDIENCE", [])
CYCLOUD_OIDC_JWKS_URL = _env.str("CYCLOUD_OIDC_JWKS_URL", "")
CYCLOUD_OIDC_USERNAME_CLAIM = _env.str("CYCLOUD_OIDC_USERNAME_CLAIM", "preferred_username")
CYCLOUD_OIDC_CREATE_USERS = _env.bool("CYCLOUD_OIDC_CREATE_USERS", False)
CYCLOUD_OIDC_GROUPS_CLAIM = _env.str("CYCLOUD_OIDC_GROUPS_CLAIM", "groups")
CYCLOUD_OIDC_GROUPS = _env.list("CYCLOUD_OIDC_GROUPS", [])
CYCLOUD_OIDC_LEEWAY_SECONDS = _env.float("CYCLOUD_OIDC_LEEWAY_SECONDS", 30.0)
# signing in to the console: off without a client id
CYCLOUD_OIDC_CLIENT_ID = _env.str("CYCLOUD_OIDC_CLIENT_ID", "")
CYCLOUD_OIDC_CLIENT_SECRET = _env.str("CYCLOUD_OIDC_CLIENT_SECRET", "")
CYCLOUD_OIDC_SCOPES = _env.str("CYCLOUD_OIDC_SCOPES", "openid profile email")
CYCLOUD_OIDC_NAME = _env.str("CYCLOUD_OIDC_NAME", "single sign-on")

AUTHENTICATION_BACKENDS = ["cycloud.core.iam.passwords.PasswordBackend"]
if CYCLOUD_OIDC_ISSUER and CYCLOUD_OIDC_CLIENT_ID:
    AUTHENTICATION_BACKENDS.append("cycloud.core.iam.oidc.backend.OidcBackend")

# -- calls per second of one principal on average, and at once; 0 is no limit
CYCLOUD_RATE_PER_SECOND = _env.float("CYCLOUD_RATE_PER_SECOND", 200.0)
CYCLOUD_RATE_BURST = _env.int("CYCLOUD_RATE_BURST", 2000)
# calls without good credentials from one address
CYCLOUD_RATE_FAILURES_PER_SECOND = _env.float("CYCLOUD_RATE_FAILURES_PER_SECOND", 5.0)
CYCLOUD_RATE_FAILURES_BURST = _env.int("CYCLOUD_RATE_FAILURES_BURST", 100)
