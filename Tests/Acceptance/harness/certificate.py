"""A certificate that nobody but the test trusts."""

import ssl
import subprocess
from pathlib import Path


class Certificate:
    """Self-signed, for 127.0.0.1, with its key beside it in PEM files."""

    def __init__(self, directory: Path, name: str = "server") -> None:
        self.path = directory / f"{name}.pem"
        self.key = directory / f"{name}-key.pem"
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=varde test"),
                *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
                *("-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
                *("-keyout", str(self.key), "-out", str(self.path)),
            ],
            check=True,
            capture_output=True,
            timeout=30,
        )

    @property
    def flags(self) -> list[str]:
        return ["--tls-certificate", str(self.path), "--tls-key", str(self.key)]

    def trusting_context(self) -> ssl.SSLContext:
        """For clients: trusts this certificate and no other."""
        return ssl.create_default_context(cafile=self.path)
