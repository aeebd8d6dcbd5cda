"""The server API through `cent`, the client that others wrote for it, unmodified.

`cent` has a client that blocks and one for asyncio, which send and read alike; a test that is run
with both sees either of them.
"""

import asyncio
from typing import Any

import cent

from .settings import API_KEY


class ServerAPI:
    """`call(cent.PublishRequest(…))` gives the result or raises what `cent` raises."""

    def __init__(self, port: int, *, key: str = API_KEY, is_async: bool = False) -> None:
        self._url = f"http://127.0.0.1:{port}/api"
        self._key = key
        self._is_async = is_async
        # Made at once, so that its connection is used again.
        self._client = None if is_async else cent.Client(self._url, key)

    def call(self, request: Any) -> Any:
        method = request.api_method
        if self._client:
            return getattr(self._client, method)(request)
        return asyncio.run(self._call(method, request))

    def publish(self, topic: str, data: Any, **options: Any) -> Any:
        return self.call(cent.PublishRequest(channel=topic, data=data, **options))

    def close(self) -> None:
        if self._client:
            self._client.close()

    async def _call(self, method: str, request: Any) -> Any:
        client = cent.AsyncClient(self._url, self._key)
        try:
            return await getattr(client, method)(request)
        finally:
            await client.close()
