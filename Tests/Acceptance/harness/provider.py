"""A provider of opinions that plays whatever a test has scripted, over real HTTP.

It answers as Anthropic's Messages API, as an OpenAI-compatible endpoint, and as a plain page of
JSON, each at its own path; `provider_answers.py` has what can be said.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STANCE, INTERPRETATION = "stance", "interpretation"
ANTHROPIC, OPENAI, PAGE = "anthropic", "openai", "page"

# Longer than any test waits.
NEVER_SECONDS = 600.0


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    # Before anything of it is sent.
    delay_seconds: float = 0.0


@dataclass
class Question:
    """A request that has arrived."""

    dialect: str
    purpose: str
    target: str
    # Names in lower case.
    headers: dict[str, str]
    # What the body says; None for a request without.
    body: Any
    # Seconds since 1970.
    arrived: float
    # When the last byte of the answer was written; None as long as it is not.
    answered: float | None = None

    @property
    def text(self) -> str:
        """Everything that is asked, the topic in it."""
        return json.dumps(self.body, ensure_ascii=False) if self.body else self.target

    @property
    def schema(self) -> dict[str, Any]:
        """Of the tool that has to be called with the answer."""
        tool = self.body["tools"][0]
        return tool["function"]["parameters"] if "function" in tool else tool["input_schema"]

    @property
    def tool(self) -> str:
        tool = self.body["tools"][0]
        return str(tool["function"]["name"] if "function" in tool else tool["name"])


Script = Callable[[Question], Answer]


class Provider:
    """Listens on a port of its own and keeps what it was asked.

    `stance` and `interpretation` are what it says to any question of that purpose; what was put
    into `next_stances` is said first, once each.
    """

    def __init__(self, stance: Script, interpretation: Script) -> None:
        self.stance = stance
        self.interpretation = interpretation
        self.next_stances: deque[Script] = deque()
        self._questions: list[Question] = []
        self._lock = threading.Lock()
        self._is_closed = threading.Event()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            # Connections stay open, as a real provider's do.
            protocol_version = "HTTP/1.1"
            # An answer in two packets would wait for the acknowledgement of the first one.
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                provider._serve(self)

            def do_POST(self) -> None:
                provider._serve(self)

            def log_message(self, *_: object) -> None:
                """Says nothing; `questions` has everything."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._is_closed.set()
        self._server.shutdown()
        self._server.server_close()

    # What it was asked

    def questions(self, purpose: str = STANCE, about: str = "") -> list[Question]:
        """In the order in which they arrived; with `about`, those that have it in their text."""
        with self._lock:
            return [
                each for each in self._questions if each.purpose == purpose and about in each.text
            ]

    @property
    def question_count(self) -> int:
        """Of every purpose."""
        with self._lock:
            return len(self._questions)

    # The server's threads

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        try:
            self._answer(request)
        except (BrokenPipeError, ConnectionResetError):
            # The hub has had enough of it, or is dead.
            request.close_connection = True

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        question = _question(request)
        with self._lock:
            self._questions.append(question)
            script = self.interpretation if question.purpose == INTERPRETATION else self.stance
            if question.purpose == STANCE and self.next_stances:
                script = self.next_stances.popleft()
        answer = script(question)
        if self._is_closed.wait(answer.delay_seconds):
            request.close_connection = True
            return
        request.send_response(answer.status)
        for name, value in answer.headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(answer.body)))
        request.end_headers()
        # Before the last byte: whoever has it may ask for the time at once.
        question.answered = time.time()
        request.wfile.write(answer.body)
        request.wfile.flush()


def _question(request: BaseHTTPRequestHandler) -> Question:
    arrived = time.time()
    content = request.rfile.read(int(request.headers.get("Content-Length") or 0))
    path = request.path.partition("?")[0]
    if path.endswith("/messages"):
        dialect = ANTHROPIC
    elif path.endswith("/chat/completions"):
        dialect = OPENAI
    else:
        dialect = PAGE
    question = Question(
        dialect=dialect,
        purpose=STANCE,
        target=request.path,
        headers={name.lower(): value for name, value in request.headers.items()},
        body=json.loads(content) if content else None,
        arrived=arrived,
    )
    if dialect != PAGE and INTERPRETATION in question.tool:
        question.purpose = INTERPRETATION
    return question
