"""A hub with every domain at once."""

import json
from typing import Any

from .domains import domains
from .film_app import CATALOGUE
from .hub import Hub
from .provider import Provider
from .radar import ai_source, radar_section
from .settings import ENVIRONMENT, TOKENS, namespace

AURORA_KEY = "an-app"
# It has two requests an hour.
AURORA_KEY_OF_A_GUEST = "a-guest"
# So that the errors for too many of something can be had.
FRIENDS_MAX = 1
RADARS_MAX = 2
WEBHOOKS_MAX = 3
REFRESHES_PER_MINUTE = 5
PUSHES_PER_MINUTE = 100
PERSON_REQUESTS_PER_MINUTE = 1000

PLACE = {
    "id": "tromso",
    "name": "Tromsø",
    "latitude": 69.6492,
    "longitude": 18.9553,
    "altitude": 10,
    "time_zone": "CET",
}
CONFIGURED_RULE = {"name": "fixed", "topics": "radar:*", "when": "refreshCount > 1000000"}
CONFIGURED_WEBHOOK = {
    "name": "pager",
    "url": "https://pager.example.org/in?credential",
    "secret": "whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA=",
    "types": ["webhook.endpoint.disabled"],
}


def whole_hub(stage: Any, upstream: str, provider: Provider, *webhook_ports: int) -> Hub:
    """Started, in development, over the night that `upstream` replays.

    Webhooks may be on `webhook_ports` of 127.0.0.1.
    """
    aurora = {
        "places": [PLACE],
        "swpc_url": upstream,
        "metno_url": upstream,
        "user_agent": "varde-acceptance/1 ops@example.org",
        "api_keys": [AURORA_KEY, {"key": AURORA_KEY_OF_A_GUEST, "tier": "guest"}],
        "tiers": [{"name": "app"}, {"name": "guest", "requests_per_hour": 2}],
    }
    sections = {
        "development": True,
        "loops": 2,
        "clock": {"start": "2024-12-09T19:30:00Z", "speed": 60},
        "aurora": aurora,
        "activity": {
            "catalogue": str(CATALOGUE),
            "friends_max": FRIENDS_MAX,
            "requests_per_minute": PERSON_REQUESTS_PER_MINUTE,
            "writes_per_minute": PERSON_REQUESTS_PER_MINUTE,
        },
        "radar": json.loads(
            radar_section(
                ai_source(provider),
                radars_per_user=RADARS_MAX,
                refreshes_per_minute=REFRESHES_PER_MINUTE,
                pushes_per_minute=PUSHES_PER_MINUTE,
            )
        ),
        "tokens": json.loads(TOKENS),
        "clients": {"lifecycle": ["clients", "users"]},
        "alerts": [CONFIGURED_RULE],
        "webhooks": [CONFIGURED_WEBHOOK],
        "webhook_limits": {
            "allow_addresses": ["127.0.0.1/32"],
            "ports": list(webhook_ports),
            "subscriptions": WEBHOOKS_MAX,
        },
        "namespaces": [
            # Its clock passes an hour in a minute.
            namespace("chat", presence=True, history_age="30d"),
            namespace("members", anonymous_subscribe=False),
        ],
    }
    sections |= {domain.NAME: domain.section(stage) for domain in domains()}
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure("".join(f"{key}: {json.dumps(value)}\n" for key, value in sections.items()))
    hub.start()
    return hub
