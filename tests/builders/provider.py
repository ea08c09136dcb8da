"""A provider of OpenID Connect on loopback, as small as can be: whoever asks is let in, as who the
test says.
"""

import json
import secrets
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey


class Provider:
    """Where it is, and who is let in next."""

    def __init__(self, address: str):
        self.address, self.email = address, "ada@example.org"
        self.client, self.secret = "mtsig", secrets.token_hex(8)
        self.key = RSAKey.generate_key(2048, {"kid": "test"})
        self.nonces = {}  # by the code that the browser brings back

    def about(self):
        return {
            "issuer": self.address,
            "jwks_uri": f"{self.address}/keys",
            "authorization_endpoint": f"{self.address}/ask",
            "token_endpoint": f"{self.address}/token",
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def let_in(self, asked):
        """Where the browser is sent back to."""
        assert asked["client_id"] == self.client and asked["code_challenge_method"] == "S256"
        code = secrets.token_hex(8)
        self.nonces[code] = asked["nonce"]
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, asked):
        """Who it is, signed; a code is good for once."""
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": self.client,
            "sub": self.email,
            "email": self.email,
            "iat": now,
            "exp": now + 600,
            "nonce": self.nonces.pop(asked["code"]),
        }
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key)
        return {
            "access_token": "none",
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": signed,
        }


@contextmanager
def provider():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.provider = Provider(f"http://127.0.0.1:{server.server_port}")
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.provider
    finally:
        server.shutdown()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        asked, own = urlsplit(self.path), self.server.provider
        if asked.path == "/ask":
            self.send_response(302)
            self.send_header("Location", own.let_in(_flat(asked.query)))
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self._tell(
            {
                "/keys": {"keys": [own.key.as_dict(private=False)]},
                "/.well-known/openid-configuration": own.about(),
            }[asked.path]
        )

    def do_POST(self):
        self._tell(
            self.server.provider.token(
                _flat(self.rfile.read(int(self.headers["Content-Length"])).decode())
            )
        )

    def _tell(self, found):
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def _flat(query):
    return {key: values[0] for key, values in parse_qs(query).items()}
