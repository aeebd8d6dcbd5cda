"""What the hubs of the tests are configured with: names of keys, secrets, namespaces.

Every name of the configuration that a test of clients, API or tokens relies on stands here, and
nowhere else.
"""

import json
import re
from typing import Any

from .hub import Hub

API_KEY = "acceptance-api-key-0123456789abcdef"
SECRET = "acceptance-token-secret-0123456789abcdef"
AUDIENCE = "varde-acceptance"
ISSUER = "https://issuer.example"
# Secrets come from the environment, so that no configuration file holds one.
ENVIRONMENT = {"VARDE_API_KEY": API_KEY, "VARDE_TOKEN_SECRET": SECRET}
TOKENS = json.dumps({"audience": AUDIENCE, "issuer": ISSUER})

# Nothing is forgotten while a test runs.
KEPT: dict[str, Any] = {"history_size": 10_000, "history_age": "1h"}


def namespace(name: str, **values: Any) -> dict[str, Any]:
    """One that everybody may read and nobody but the API may write to."""
    return {"name": name, "anonymous_subscribe": True, **KEPT, **values}


def configuration(*namespaces: dict[str, Any], **values: str) -> str:
    """The configuration file. JSON is YAML, so each namespace is one line of it."""
    lines = ["loops: 2", *(f"{key}: {value}" for key, value in values.items()), "namespaces:"]
    return "\n".join([*lines, *(f"  - {json.dumps(each)}" for each in namespaces), ""])


def started_hub(stage: Any, text: str, *flags: str) -> Hub:
    """A hub that has the secrets in its environment."""
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(text)
    hub.start(*flags)
    return hub


def outcome(explanation: dict[str, Any]) -> str:
    """What became of a publication, of an answer of `hub.explain` or `/debug/why`."""
    return explanation["outcome"]


def token_refusals(log: str) -> list[str]:
    """Why tokens were refused, of a log in JSON; one of the hub's own words for each."""
    entries = [json.loads(line) for line in log.split("\n")[:-1]]
    return [entry["code"] for entry in entries if entry["msg"] == "token refused"]


def slow_reader_closes(log: str) -> list[int]:
    """The close codes of clients that were closed for reading too slowly, of a log in text."""
    found = re.finditer(r"client disconnected .*?code=(\d+) .*?reason=slow", log)
    return [int(each[1]) for each in found]
