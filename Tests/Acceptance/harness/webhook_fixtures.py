"""Fixtures for tests of webhooks: a receiver, and a hub with radars that calls it.

A module imports those that it uses; `radar_hub` takes the place of the other modules' then. Each
opinion that is pushed to a radar is an event.
"""

import base64
import json
from typing import Any

import pytest

from .radar import radar_section
from .settings import TOKENS, configuration, namespace, started_hub
from .webhooks import Delivery, Inbox, WebhookAPI

CREATED = "radar.opinion.created"
CONFIGURED_SECRET = "whsec_" + base64.b64encode(bytes(24)).decode()
OPINION = {"author": "ada", "model": "none", "stance": "for", "confidence": 0.8}


@pytest.fixture
def inbox(stage: Any) -> Inbox:
    inbox = Inbox()
    stage.ends_with(inbox.close)
    return inbox


@pytest.fixture
def limits() -> dict[str, Any]:
    """Values of `webhook_limits`."""
    return {}


@pytest.fixture
def radar_hub(stage: Any, inbox: Inbox, limits: dict[str, Any]) -> Any:
    """It calls 127.0.0.1 and no other inside address. One of its webhooks is configured."""
    values = {"allow_addresses": ["127.0.0.1/32"], "ports": [inbox.port], **limits}
    pager = {
        "name": "pager",
        "url": f"{inbox.url}/pager?credential",
        "secret": CONFIGURED_SECRET,
        "types": ["webhook.endpoint.disabled"],
    }
    text = configuration(
        namespace("other"),
        tokens=TOKENS,
        radar=radar_section(),
        webhook_limits=json.dumps(values),
        webhooks=json.dumps([pager]),
    )
    return started_hub(stage, text)


@pytest.fixture
def api(radar_hub: Any) -> WebhookAPI:
    return WebhookAPI(radar_hub)


@pytest.fixture
def kari(user: Any) -> Any:
    return user("kari")


@pytest.fixture
def radar(kari: Any) -> Any:
    return kari.create("four-day working week")["id"]


def push(kari: Any, radar: str, *contents: str) -> None:
    """Each is an event `radar.opinion.created`."""
    for content in contents:
        kari.push(radar, content=content, **OPINION)


def contents(deliveries: list[Delivery]) -> list[str]:
    return [each.event["data"]["opinion"]["content"] for each in deliveries]
