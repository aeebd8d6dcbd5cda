"""A certificate that nobody but the test trusts."""

import shutil
import ssl
import subprocess
from pathlib import Path

HERE = "IP:127.0.0.1,DNS:localhost"


class Certificate:
    """Self-signed, with its key beside it in PEM files. With negative days it has expired."""

    def __init__(
        self, directory: Path, name: str = "server", *, names: str = HERE, days: int = 2
    ) -> None:
        self.path = directory / f"{name}.pem"
        self.key = directory / f"{name}-key.pem"
        _openssl(
            *("req", "-x509", "-nodes", "-days", str(max(days, 1)), "-subj", "/CN=varde test"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-addext", f"subjectAltName={names}"),
            *("-keyout", str(self.key), "-out", str(self.path)),
        )
        if days < 0:
            # Only this command takes them.
            _openssl(
                *("x509", "-in", str(self.path), "-signkey", str(self.key)),
                *("-days", str(days), "-out", str(self.path)),
            )

    @property
    def flags(self) -> list[str]:
        return ["--tls-certificate", str(self.path), "--tls-key", str(self.key)]

    @property
    def yaml(self) -> str:
        """The two keys of a mapping in the configuration, in one line."""
        return f"certificate: {self.path}, key: {self.key}"

    @property
    def bytes(self) -> bytes:
        """As it is shown to a client."""
        return ssl.PEM_cert_to_DER_cert(self.path.read_text())

    def replace_by(self, other: "Certificate") -> None:
        """As a renewal does it: the same files with another certificate."""
        shutil.copy(other.path, self.path)
        shutil.copy(other.key, self.key)

    def trusting_context(self) -> ssl.SSLContext:
        """For clients: trusts this certificate and no other."""
        return ssl.create_default_context(cafile=self.path)


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=30)
