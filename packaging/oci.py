#!/usr/bin/env python3
"""Makes an OCI image file without a container engine: oci.py VERSION BINARY DIRECTORY

The image has one layer: the binary, the system's libraries that it loads, CA certificates, time zones,
a user, and an empty /var/lib/varde. It is an OCI image layout in a tar file, which podman, skopeo and
`ctr images import` read.
"""

import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

USER = 10001
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
ZONES = Path("/usr/share/zoneinfo")
# In the image the hub has to be reached from outside of its network namespace.
CONFIGURATION = """\
listen: ["0.0.0.0:8000"]
database: /var/lib/varde/varde.sqlite
namespaces:
  - name: events
    history_size: 100
    history_age: 1h
    subscribe: users
"""


def main(version: str, binary: str, directory: str) -> None:
    layer = gzip.compress(plain := make_layer(Path(binary)), mtime=0)
    configuration = encode(
        {
            "architecture": ARCHITECTURES[platform.machine()],
            "os": "linux",
            "config": {
                "User": f"{USER}:{USER}",
                "ExposedPorts": {"8000/tcp": {}},
                "Entrypoint": ["/usr/bin/varde"],
                "Cmd": ["serve", "--config", "/etc/varde/varde.yaml"],
                "WorkingDir": "/var/lib/varde",
                "Volumes": {"/var/lib/varde": {}},
                "StopSignal": "SIGTERM",
                "Labels": {
                    "org.opencontainers.image.title": "varde",
                    "org.opencontainers.image.version": version,
                    "org.opencontainers.image.licenses": "MIT",
                },
            },
            "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
            "history": [{"created_by": "packaging/oci.py"}],
        }
    )
    image = "application/vnd.oci.image."
    manifest = encode(
        {
            "schemaVersion": 2,
            "mediaType": f"{image}manifest.v1+json",
            "config": descriptor(f"{image}config.v1+json", configuration),
            "layers": [descriptor(f"{image}layer.v1.tar+gzip", layer)],
        }
    )
    reference = descriptor(f"{image}manifest.v1+json", manifest)
    reference["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "mediaType": f"{image}index.v1+json", "manifests": [reference]}
    files = {
        "oci-layout": encode({"imageLayoutVersion": "1.0.0"}),
        "index.json": encode(index),
    }
    for blob in (configuration, layer, manifest):
        files["blobs/" + digest(blob).replace(":", "/")] = blob
    path = Path(directory) / f"varde-{version}-oci-{platform.machine()}.tar"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            add(archive, name, content)
    print(path)


def make_layer(binary: Path) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "varde"
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, binary], check=True)
        stripped = copy.read_bytes()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        for path in ("etc", "etc/ssl", "etc/ssl/certs", "etc/varde", "usr", "usr/bin", "var", "var/lib"):
            add_directory(layer, path)
        add_directory(layer, "tmp", mode=0o1777)
        add_directory(layer, "var/lib/varde", mode=0o700, owner=USER)
        add(layer, "usr/bin/varde", stripped, mode=0o755)
        add(layer, "etc/varde/varde.yaml", CONFIGURATION.encode())
        add(layer, "etc/passwd", f"varde:x:{USER}:{USER}::/var/lib/varde:/\n".encode())
        add(layer, "etc/group", f"varde:x:{USER}:\n".encode())
        add(layer, CERTIFICATES[1:], Path(CERTIFICATES).read_bytes())
        for name, path in libraries(binary).items():
            add(layer, name, path.read_bytes(), mode=0o755)
        for path in sorted(ZONES.rglob("*")):
            if path.is_file() and path.relative_to(ZONES).parts[0] not in ("posix", "right"):
                add(layer, str(path)[1:], path.read_bytes())
    return buffer.getvalue()


def libraries(binary: Path) -> dict[str, Path]:
    """The files that the loader opens, at the paths where it looks for them."""
    said = subprocess.run(["ldd", str(binary)], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"(?:=> )?(/\S+) \(0x", said)
    # Modules that glibc opens by name when a host name is looked up.
    folder = Path(next(path for path in found if path.endswith("/libc.so.6"))).parent
    found += [str(folder / name) for name in ("libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2")]
    return {path[1:]: Path(path).resolve() for path in found if os.path.exists(path)}


def add(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def add_directory(archive: tarfile.TarFile, name: str, mode: int = 0o755, owner: int = 0) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.uid, entry.gid = tarfile.DIRTYPE, mode, owner, owner
    archive.addfile(entry)


def encode(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def descriptor(media_type: str, content: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content)}


if __name__ == "__main__":
    main(*sys.argv[1:])
