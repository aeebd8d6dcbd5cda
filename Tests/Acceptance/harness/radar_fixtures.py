"""Fixtures for tests of radars: a hub with one source, its users, and the app's sockets.

A test that needs other sources or values parametrizes `hub_sources` or `hub_values`.
"""

from typing import Any

import pytest

from .provider_answers import interpretation, stance
from .radar import RadarAPI, RadarSocket, ai_source, radar_section
from .radar_app import Transcript
from .settings import TOKENS, configuration, namespace, started_hub
from .tokens import connection_token


@pytest.fixture
def provider(stage: Any) -> Any:
    """It is for everything, until a test says otherwise."""
    return stage.provider(stance(), interpretation)


@pytest.fixture
def transcript() -> Transcript:
    return Transcript()


@pytest.fixture
def hub_sources() -> list[Any]:
    """Sections of the configuration, or functions that make one for a provider."""
    return [ai_source]


@pytest.fixture
def hub_values() -> dict[str, Any]:
    return {}


@pytest.fixture
def hub_namespaces() -> list[dict[str, Any]]:
    """The namespace `radar` is there by itself."""
    return [namespace("other")]


@pytest.fixture
def radar_hub(
    stage: Any,
    provider: Any,
    hub_sources: list[Any],
    hub_values: dict[str, Any],
    hub_namespaces: list[dict[str, Any]],
) -> Any:
    sources = [each(provider) if callable(each) else each for each in hub_sources]
    section = radar_section(*sources, **hub_values)
    text = configuration(*hub_namespaces, tokens=TOKENS, radar=section)
    return started_hub(stage, text)


@pytest.fixture
def user(radar_hub: Any, transcript: Transcript) -> Any:
    """The routes with the token of a user, with another one, or without any."""

    def user(name: str = "", token: str | None = None) -> RadarAPI:
        if token is None:
            token = connection_token(name) if name else ""
        return RadarAPI(radar_hub, transcript, token)

    return user


@pytest.fixture
def app_socket(stage: Any, radar_hub: Any, transcript: Transcript) -> Any:
    def open_socket(radar_id: str, query: str = "", token: str = "") -> RadarSocket:
        socket = RadarSocket(radar_hub, transcript, radar_id, query, token)
        stage.ends_with(socket.close)
        return socket

    return open_socket
