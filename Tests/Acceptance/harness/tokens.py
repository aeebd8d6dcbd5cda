"""Tokens as an application's backend makes them, by PyJWT; and such as an attacker makes."""

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from .settings import AUDIENCE, ISSUER, SECRET

TTL_SECONDS = 3600


def connection_token(user: str, *, ttl: int = TTL_SECONDS, **claims: Any) -> str:
    return signed(connection_claims(user, ttl=ttl, **claims))


def subscription_token(user: str, topic: str, *, ttl: int = TTL_SECONDS, **claims: Any) -> str:
    return connection_token(user, ttl=ttl, channel=topic, **claims)


def connection_claims(user: str, *, ttl: int = TTL_SECONDS, **claims: Any) -> dict[str, Any]:
    """With the audience and the issuer that the hub expects, unless `claims` has others."""
    return {"sub": user, "exp": int(time.time()) + ttl, "aud": AUDIENCE, "iss": ISSUER, **claims}


def signed(claims: dict[str, Any], secret: str = SECRET) -> str:
    return jwt.encode(claims, secret, algorithm="HS256")


def unsigned(token: str, *, algorithm: str = "none") -> str:
    """The same claims with the algorithm `none` and no signature (RFC 7519 §6.1)."""
    return f"{_part({'alg': algorithm, 'typ': 'JWT'})}.{token.split('.')[1]}."


def with_other_claims(token: str, claims: dict[str, Any]) -> str:
    """The claims are replaced, and the signature stays."""
    header, _, signature = token.split(".")
    return f"{header}.{_part(claims)}.{signature}"


def signed_by_public_key(claims: dict[str, Any], public_key: bytes) -> str:
    """HS256 with what everybody knows for a secret. PyJWT refuses to do that, with good reason."""
    text = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    signature = hmac.digest(public_key, text.encode(), hashlib.sha256)
    return f"{text}.{_base64url(signature)}"


class KeyPair:
    """A key of an asymmetric algorithm; the public one is in a PEM file."""

    def __init__(self, algorithm: str, directory: Path) -> None:
        self.algorithm = algorithm
        makers: dict[str, Any] = {
            "RS256": lambda: rsa.generate_private_key(65537, 2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }
        self._key = makers[algorithm]()
        self.path = directory / f"{algorithm}.pem"
        self.path.write_bytes(
            self._key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )

    def signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self._key, algorithm=self.algorithm)


def _part(value: dict[str, Any]) -> str:
    return _base64url(json.dumps(value).encode())


def _base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
