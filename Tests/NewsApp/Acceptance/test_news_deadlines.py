"""Interpretations are answered while the model's provider hangs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest  # noqa: E402
from wire import news_hub  # noqa: E402

from harness.deadlines import late, timed  # noqa: E402
from harness.described import DescribedHub  # noqa: E402
from harness.provider_answers import never  # noqa: E402

pytestmark = pytest.mark.alone

COUNT = 100


def test_every_interpretation_is_answered_in_time(stage, record_property):
    provider = stage.provider(never, never)
    writer = {
        "kind": "anthropic",
        "model": "claude-sonnet-4-5",
        "url": provider.url,
        "key": "acceptance-provider-key-0123456789abcdef",
        "daily_tokens": 0,
        "daily_requests": 0,
    }
    hub = DescribedHub(news_hub(stage, news={"writer": writer}).port, "news")

    def ask(number):
        body = {"textOrUrl": f"Rates rise for the {number}th time. Shares of AAPL fall."}
        return hub.ask("POST", "/v1/interpret", body, headers={"X-User-ID": f"u{number}"})

    answers = timed(ask, list(range(COUNT)))
    record_property("longest", f"{max(seconds for seconds, _ in answers):.2f} s")
    assert late(answers) == []
    assert all(each["why"] for _, each in answers)
    assert provider.question_count > 0
