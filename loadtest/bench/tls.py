#!/usr/bin/env python3
"""What does TLS cost a fan-out, in comparison with AES-GCM itself?

    loadtest/bench/tls.py BUILD [--rounds 5] [--seconds 3]

BUILD is the folder with the programs `varde` and `varde-load`. Each round starts a hub without and a hub with
TLS, one after the other, in alternating order, and measures AES-128-GCM with `openssl speed`, with records of
the length that the burst makes. The table shows medians of the rounds: the server's processor time for each
delivery without TLS, that of AES-128-GCM for the bytes of a delivery, and with TLS; then the ratios of TLS to
the first, and to the sum of the first two, each within a round.
"""

import argparse
import os
import secrets
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from builds import CONFIGURATION, figures_of, free_port, wait_until_live
from servers import certify

# 62 messages fill a record of 16 KiB, 64 need a second one.
BURSTS = [1, 16, 62, 64]
RECORD_BYTES_MAX = 16384
TLS = "tls: {certificate: certificate.pem, key: key.pem}\n"


def fanouts(build, seconds, has_tls):
    """The reports of varde-load, by burst."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        text = CONFIGURATION.format(port=port, database="varde.sqlite")
        if has_tls:
            certify(folder)
            text += TLS
        Path(folder, "varde.yaml").write_text(text)
        hub = subprocess.Popen([build / "varde", "serve", "--config", "varde.yaml"], cwd=folder)
        try:
            wait_until_live(f"{'https' if has_tls else 'http'}://127.0.0.1:{port}", hub)
            url = f"{'wss' if has_tls else 'ws'}://127.0.0.1:{port}"
            return {burst: fanout(build, url, burst, seconds, hub.pid) for burst in BURSTS}
        finally:
            hub.terminate()
            hub.wait()


def fanout(build, url, burst, seconds, pid):
    """Processor time of the server for each delivery in µs, and the bytes of a frame."""
    arguments = ["fanout", "--url", url, "--insecure", "--channel", "bench:1"]
    arguments += ["--subscribers", "1000", "--burst", str(burst)]
    arguments += ["--warm-up", "0.5", "--duration", str(seconds)]
    figures = figures_of(build / "varde-load", arguments, pid)
    return figures["server_cpu_per_delivery"], figures["frame"]


def aes_time_per_byte(length):
    """Processor time of AES-128-GCM for a byte of records of this length, in µs."""
    command = ["openssl", "speed", "-mr", "-seconds", "1", "-aead", "-evp", "aes-128-gcm"]
    said = subprocess.run([*command, "-bytes", str(length)], capture_output=True, text=True)
    last = next(line for line in said.stdout.splitlines() if line.startswith("+F:"))
    return 1e6 / float(last.split(":")[-1])


def measure(build, seconds, index):
    order = [False, True] if index % 2 == 0 else [True, False]
    found = {has_tls: fanouts(build, seconds, has_tls) for has_tls in order}
    rows = {}
    for burst in BURSTS:
        (plain, frame), (tls, _) = found[False][burst], found[True][burst]
        length = round(burst * frame)
        aes = frame * aes_time_per_byte(min(length, RECORD_BYTES_MAX))
        rows[burst] = (plain, aes, tls, tls / plain, tls / (plain + aes))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    # The hub and the load generator both read it from the environment, so no command line shows it.
    os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))
    build = options.build.resolve()
    rounds = [measure(build, options.seconds, index) for index in range(options.rounds)]
    print("| burst | plain, µs | AES-128-GCM, µs | TLS, µs | times plain | times plain and AES |")
    print("| --- | --- | --- | --- | --- | --- |")
    for burst in BURSTS:
        plain, aes, tls, ratio, share = (median(x) for x in zip(*(each[burst] for each in rounds)))
        print(f"| {burst} | {plain:.3f} | {aes:.3f} | {tls:.3f} | {ratio:.2f} | {share:.2f} |")


if __name__ == "__main__":
    main()
