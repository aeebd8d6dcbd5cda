"""Measures an oven and prints the alerts that Varde makes of it. Standard library only."""

import json
import os
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

HUB = os.environ.get("VARDE_URL", "http://127.0.0.1:8000")
TOPIC = "demo:oven"
RULE = json.loads((Path(__file__).resolve().parent / "rule.json").read_text())
# Two degrees around the bound make one alert, because the rule ends it only below 200.
MEASUREMENTS = [180, 221, 219, 221, 219, 265, 230, 195]


def say(line):
    """Prints a line as a whole: two threads print."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def request(method, path, body):
    """Sends JSON with the API key, and returns the status and the answer."""
    message = urllib.request.Request(
        HUB + path,
        method=method,
        data=json.dumps(body).encode(),
        headers={
            "X-API-Key": os.environ["VARDE_API_KEY"],
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(message, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def store_rule():
    """Makes the rule, or replaces it."""
    status, answer = request("POST", "/api/alerts/rules", RULE)
    if status == 409:
        status, answer = request("PUT", f"/api/alerts/rules/{RULE['name']}", RULE)
    if status not in (200, 201):
        raise SystemExit(f"the rule was refused: {status} {answer}")
    return answer["rule"]


def alerts(is_open):
    """Yields the alerts of the topic, from now on."""
    url = f"{HUB}/events?topics={TOPIC}:alerts"
    with urllib.request.urlopen(url, timeout=60) as stream:
        is_open.set()
        for line in stream:
            if line.startswith(b"data: "):
                yield json.loads(line[len("data: ") :])


def print_alerts(is_open):
    for event in alerts(is_open):
        alert = event["data"]
        say(f"{event['type']}: {alert['severity']}, {alert['values']}")
        if alert["state"] == "cleared":
            return


def main():
    say(f"rule: {json.dumps(store_rule())}")
    is_open = threading.Event()
    reader = threading.Thread(target=print_alerts, args=(is_open,), daemon=True)
    reader.start()
    if not is_open.wait(10):
        raise SystemExit("the hub did not open the event stream")
    for celsius in MEASUREMENTS:
        publication = {"channel": TOPIC, "data": {"celsius": celsius}}
        status, answer = request("POST", "/api/publish", publication)
        if status != 200 or "error" in answer:
            raise SystemExit(f"publish: {status} {answer}")
        say(f"measured {celsius}")
    reader.join(30)
    if reader.is_alive():
        raise SystemExit("the alert was not cleared")


if __name__ == "__main__":
    main()
