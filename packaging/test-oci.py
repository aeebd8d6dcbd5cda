#!/usr/bin/env python3
"""Unpacks an OCI image file, compares its digests, and starts it in a chroot: test-oci.py FILE"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

PATIENCE_SECONDS = 20.0


def main(path: str) -> None:
    if os.geteuid() != 0:
        print("skipped: the test of the image needs root")
        return
    with tempfile.TemporaryDirectory() as directory:
        layout, root = Path(directory) / "layout", Path(directory) / "root"
        with tarfile.open(path) as archive:
            archive.extractall(layout, filter="data")
        assert read_json(layout / "oci-layout") == {"imageLayoutVersion": "1.0.0"}
        manifest = json.loads(blob(layout, read_json(layout / "index.json")["manifests"][0]))
        config = json.loads(blob(layout, manifest["config"]))["config"]
        root.mkdir()
        for layer in manifest["layers"]:
            blob(layout, layer)
            with tarfile.open(blob_path(layout, layer)) as archive:
                archive.extractall(root, filter=lambda entry, _: entry, numeric_owner=True)
        # As in every container: Swift reads the arguments of the process in /proc, and the hub keeps
        # a descriptor of /dev/null in reserve.
        for name, options in {"proc": ["-t", "proc", "proc"], "dev": ["--bind", "/dev"]}.items():
            (root / name).mkdir(exist_ok=True)
            subprocess.run(["mount", *options, root / name], check=True)
        try:
            start(root, config)
        finally:
            subprocess.run(["umount", root / "proc", root / "dev"], check=True)
    print("image: unpacked and started")


def start(root: Path, config: dict) -> None:
    command = config["Entrypoint"] + config["Cmd"]
    hub = subprocess.Popen(
        ["chroot", f"--userspec={config['User']}", str(root), *command],
        env={"PATH": os.environ["PATH"], "VARDE_API_KEY": "0123456789abcdef0123456789abcdef"},
    )
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with urllib.request.urlopen("http://127.0.0.1:8000/readyz") as answer:
                    assert answer.status == 200
                break
            except OSError:
                assert hub.poll() is None, "the hub ended"
                assert time.monotonic() < end, "the hub is not ready"
                time.sleep(0.1)
    finally:
        hub.terminate()
        assert hub.wait(PATIENCE_SECONDS) == 0


def blob_path(layout: Path, descriptor: dict) -> Path:
    return layout / "blobs" / descriptor["digest"].replace(":", "/")


def blob(layout: Path, descriptor: dict) -> bytes:
    content = blob_path(layout, descriptor).read_bytes()
    assert len(content) == descriptor["size"]
    assert "sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"]
    return content


def read_json(path: Path) -> dict:
    return json.loads(path.read_text())


if __name__ == "__main__":
    main(sys.argv[1])
