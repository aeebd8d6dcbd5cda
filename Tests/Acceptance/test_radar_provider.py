"""The provider and the app of the other tests: they are what they play."""

import json

import pytest
import requests

from harness.provider import ANTHROPIC, INTERPRETATION, OPENAI
from harness.provider_answers import (
    DATED_MODELS,
    interpretation,
    page,
    recorded,
    stance,
    vector,
    vectors,
)

PATIENCE_SECONDS = 10.0
PATHS = {ANTHROPIC: "/v1/messages", OPENAI: "/v1/chat/completions"}
KEYS = {
    "record_stance": ["stance", "confidence", "content", "reasoning"],
    "record_interpretation": ["text", "category", "subCategory", "tags", "sentiment"],
}


def ask(provider, dialect, tool="record_stance"):
    schema = {"type": "object", "properties": dict.fromkeys(KEYS[tool], {})}
    if dialect == ANTHROPIC:
        tools = [{"name": tool, "input_schema": schema}]
    else:
        tools = [{"type": "function", "function": {"name": tool, "parameters": schema}}]
    question = {"messages": [{"role": "user", "content": 'Topic: "ø"'}], "tools": tools}
    return requests.post(provider.url + PATHS[dialect], json=question, timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("dialect", PATHS)
def test_own_answers_have_the_shape_of_recorded_ones(provider, dialect):
    for tool, name in {
        "record_stance": "stance",
        "record_interpretation": "interpretation",
    }.items():
        whole = json.loads(vector(f"{dialect}-{name}")["body"])
        answer = ask(provider, dialect, tool).json()
        assert set(answer) <= set(whole)
        assert answer["model"] == DATED_MODELS[dialect]
        assert set(answer["usage"]) <= set(whole["usage"])
        assert set(arguments(answer)) == set(arguments(whole)) == set(KEYS[tool])
    assert [each.dialect for each in provider.questions(about="ø")] == [dialect]
    assert len(provider.questions(INTERPRETATION, "ø")) == 1


def arguments(answer):
    """Of the call in it."""
    if "content" in answer:
        (call,) = [each for each in answer["content"] if each["type"] == "tool_use"]
        return call["input"]
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    return json.loads(call["function"]["arguments"])


def test_recorded_answers_are_sent_as_they_are(provider):
    provider.next_stances += [recorded(name) for name in vectors()]
    for name in vectors():
        answer, expected = ask(provider, ANTHROPIC), vector(name)
        assert (answer.status_code, answer.text) == (expected["status"], expected["body"])
        for field, value in expected["headers"].items():
            assert answer.headers[field] == value
    provider.stance = page({"id": 1})
    assert requests.get(provider.url, timeout=PATIENCE_SECONDS).json() == {"items": [{"id": 1}]}
    assert len(provider.questions()) == len(vectors()) + 1


def test_questions_have_their_times(stage):
    provider = stage.provider(stance(), interpretation)
    for _ in range(3):
        ask(provider, OPENAI)
    times = [(each.arrived, each.answered) for each in provider.questions()]
    assert times == sorted(times)
    assert all(arrived <= answered for arrived, answered in times)


def test_app_tells_what_it_would_drop(transcript):
    transcript.add("error", '{"message":"\u2028 no","code":"FORBIDDEN"}')
    transcript.add("empty", "{}")
    transcript.assert_app_decodes_everything()
    transcript.add("error", '{"message":"no"}')
    with pytest.raises(AssertionError, match="line 3: code: there is none"):
        transcript.assert_app_decodes_everything()
