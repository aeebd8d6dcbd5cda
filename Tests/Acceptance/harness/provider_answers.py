"""What a provider can say: opinions in the dialect in which it is asked, and recorded answers, most
of them without one."""

import json
import threading
from dataclasses import replace
from typing import Any

from .processes import REPOSITORY
from .provider import ANTHROPIC, NEVER_SECONDS, OPENAI, Answer, Question, Script

VECTORS = REPOSITORY / "protocol/vectors/ai"

# By dialect: what is asked for, and the dated name of what answers.
MODELS = {ANTHROPIC: "claude-sonnet-4-5", OPENAI: "gpt-4o"}
DATED_MODELS = {ANTHROPIC: "claude-sonnet-4-5-20250929", OPENAI: "gpt-4o-2024-08-06"}
INPUT_TOKENS, OUTPUT_TOKENS = 600, 100
TOKENS = INPUT_TOKENS + OUTPUT_TOKENS

CONTENT = "Trials kept their output; outside offices little is known."
REASONING = "The published trials are small, and chose themselves."

JSON = {"Content-Type": "application/json"}


# Opinions


def stance(value: str = "for", *, confidence: float = 0.8, content: str = CONTENT) -> Script:
    values = {
        "stance": value,
        "confidence": confidence,
        "content": content,
        "reasoning": REASONING,
    }
    return lambda question: _calling(question, values)


def interpretation(question: Question) -> Answer:
    values = {
        "text": "Whether it should be the rule.",
        "category": "work",
        "subCategory": "hours",
        "tags": ["work", "hours"],
        "sentiment": "mixed",
    }
    return _calling(question, values)


def page(*items: Any) -> Script:
    """A page of JSON with these items."""
    return lambda _: _json({"items": items})


# When


def late(script: Script, seconds: float) -> Script:
    return lambda question: replace(script(question), delay_seconds=seconds)


def never(_: Question) -> Answer:
    return Answer(200, b"", JSON, delay_seconds=NEVER_SECONDS)


def held(script: Script, gate: threading.Event) -> Script:
    """Says nothing until the gate is open."""

    def say(question: Question) -> Answer:
        gate.wait(NEVER_SECONDS)
        return script(question)

    return say


# Recorded answers: protocol/vectors/README.md


def vectors(*kinds: str) -> list[str]:
    """The names of the recorded answers to questions for a stance, of all kinds or of these."""
    return [
        path.stem
        for path in sorted(VECTORS.glob("*.json"))
        if (vector := json.loads(path.read_text()))["asks"] == "stance"
        and (not kinds or vector["outcome"]["kind"] in kinds)
    ]


def vector(name: str) -> dict[str, Any]:
    return dict(json.loads((VECTORS / f"{name}.json").read_text()))


def recorded(name: str) -> Script:
    found = vector(name)
    answer = Answer(found["status"], found["body"].encode(), found["headers"])
    return lambda _: answer


# The dialects


def _calling(question: Question, values: dict[str, Any]) -> Answer:
    """Calls the tool as the question's schema wants it."""
    arguments = {key: values[key] for key in question.schema["properties"]}
    if question.dialect == ANTHROPIC:
        content = {"type": "tool_use", "id": "toolu_1", "name": question.tool, "input": arguments}
        return _json(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": DATED_MODELS[ANTHROPIC],
                "content": [content],
                "stop_reason": "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
            }
        )
    function = {"name": question.tool, "arguments": json.dumps(arguments)}
    message = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    return _json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_348_000,
            "model": DATED_MODELS[OPENAI],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {
                "prompt_tokens": INPUT_TOKENS,
                "completion_tokens": OUTPUT_TOKENS,
                "total_tokens": TOKENS,
            },
        }
    )


def _json(value: Any) -> Answer:
    return Answer(200, json.dumps(value).encode(), JSON)
