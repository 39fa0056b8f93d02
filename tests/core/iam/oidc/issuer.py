"""An OpenID provider on loopback: discovery, keys that can be rotated, authorize and token endpoints."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

CLIENT_ID = "cycloud"
CLIENT_SECRET = "the client's own secret"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


@dataclass
class Issuer:
    """The provider as a test sees it; ``claims`` are of the person who signs in next."""

    url: str = ""
    claims: dict[str, Any] = field(
        default_factory=lambda: {
            "sub": "person-1",
            "preferred_username": "erika",
            "email": "erika@example.com",
        }
    )
    keys: dict[str, PrivateKey] = field(default_factory=dict)
    kid: str = ""
    # what happened, and what is to go wrong
    requests: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    is_down: bool = False
    wrong_nonce: bool = False
    wrong_issuer: bool = False

    def rotate(self, kid: str, *, keep: bool = False, algorithm: str = "RS256") -> None:
        """Sign with a new key from now on; the old ones are served no longer unless ``keep``."""
        if not keep:
            self.keys = {}
        self.keys[kid] = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048)
            if algorithm == "RS256"
            else ec.generate_private_key(ec.SECP256R1())
        )
        self.kid = kid

    def token(self, *, kid: str | None = None, algorithm: str = "", **claims: Any) -> str:
        """Return a signed token of the present person; a claim None is left out."""
        now = int(time.time())
        kid = kid or self.kid
        key = self.keys[kid]
        values = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            **self.claims,
            **claims,
        }
        return jwt.encode(
            {name: value for name, value in values.items() if value is not None},
            key,
            algorithm=algorithm or ("RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"),
            headers={"kid": kid},
        )

    def jwks(self) -> dict[str, Any]:
        return {"keys": [_jwk(kid, key) for kid, key in self.keys.items()]}


def _jwk(kid: str, key: PrivateKey) -> dict[str, Any]:
    if isinstance(key, rsa.RSAPrivateKey):
        algorithm, name = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256), "RS256"
        public = algorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        name = "ES256"
        public = jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**public, "kid": kid, "use": "sig", "alg": name}


class _Handler(BaseHTTPRequestHandler):
    issuer: Issuer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self.issuer.requests.append(url.path)
        if self.issuer.is_down:
            self._answer(503, {})
        elif url.path == "/.well-known/openid-configuration":
            self._answer(200, self._discovery())
        elif url.path == "/keys":
            self._answer(200, self.issuer.jwks())
        elif url.path == "/authorize":
            self._authorize(parse_qs(url.query))
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        self.issuer.requests.append(self.path)
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if self.issuer.is_down:
            self._answer(503, {})
        else:
            self._token({name: values[0] for name, values in form.items()})

    def _discovery(self) -> dict[str, Any]:
        base = self.issuer.url
        return {
            "issuer": f"{base}/other" if self.issuer.wrong_issuer else base,
            "jwks_uri": f"{base}/keys",
            "authorization_endpoint": f"{base}/authorize",
            "token_endpoint": f"{base}/token",
        }

    def _authorize(self, query: dict[str, list[str]]) -> None:
        """The person is signed in here already and agrees: back with a code, bound to PKCE and nonce."""
        asked = {name: values[0] for name, values in query.items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert asked["client_id"] == CLIENT_ID
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self.issuer.codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"]})
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}?{back}")
        self.end_headers()

    def _token(self, form: dict[str, str]) -> None:
        asked = self.issuer.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or challenge != asked["code_challenge"]
            or form.get("redirect_uri") != asked["redirect_uri"]
            or form.get("client_secret") != CLIENT_SECRET
        ):
            self._answer(400, {"error": "invalid_grant"})
            return
        nonce = "another" if self.issuer.wrong_nonce else asked["nonce"]
        self._answer(200, {"id_token": self.issuer.token(nonce=nonce), "token_type": "Bearer"})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    issuer.rotate("key-1")
    handler = type("Handler", (_Handler,), {"issuer": issuer})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
