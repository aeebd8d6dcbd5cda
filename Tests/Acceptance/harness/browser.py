"""Chromium without a window, driven by its DevTools protocol."""

import json
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from .waiting import wait_until

START_SECONDS = 60.0
ANSWER_SECONDS = 30.0

needs_chromium = pytest.mark.skipif(
    not shutil.which("chromium"), reason="chromium is not installed"
)


class Browser:
    """One Chromium with a profile of its own."""

    def __init__(self, directory: Path) -> None:
        self._port_file = directory / "DevToolsActivePort"
        self._pages: list[Page] = []
        self._process = subprocess.Popen(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-proxy-server",
                f"--user-data-dir={directory}",
                "--remote-debugging-port=0",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        text = wait_until(self._port_text, within=START_SECONDS, what="chromium listens")
        self._port = int(text.split()[0])

    def _port_text(self) -> str:
        return self._port_file.read_text() if self._port_file.exists() else ""

    def open(self, url: str) -> "Page":
        """Opens a tab."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/json/new?{url}", method="PUT"
        )
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as response:
            target = json.load(response)
        page = Page(target["webSocketDebuggerUrl"])
        self._pages.append(page)
        return page

    def close(self) -> None:
        for page in self._pages:
            page.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)


class Page:
    def __init__(self, url: str) -> None:
        self._socket = connect(url, max_size=None, proxy=None, legacy=True)
        self._id = 0

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._id += 1
        self._socket.send(json.dumps({"id": self._id, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(ANSWER_SECONDS))
            if message.get("id") == self._id:
                assert "error" not in message, message
                return message["result"]

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript, when its promise is kept if it is one."""
        answer = self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """What an element says; empty if the page has none yet."""
        return self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def fill_and_submit(self, selector: str, text: str) -> None:
        """Writes into an input and submits its form."""
        self.value(
            f"(() => {{ const input = document.querySelector({json.dumps(selector)});"
            f" input.value = {json.dumps(text)}; input.form.requestSubmit(); }})()"
        )

    def reload(self) -> None:
        """Reloads, and returns when the old page is gone."""
        self.value("window.isOld = true")
        self.command("Page.reload")
        wait_until(
            lambda: self.value("!window.isOld && document.readyState === 'complete'"),
            within=START_SECONDS,
            what="the page is loaded again",
        )

    def close(self) -> None:
        self._socket.close()
