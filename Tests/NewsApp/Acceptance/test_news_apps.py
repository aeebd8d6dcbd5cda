"""The apps' own types decode every answer of a hub, including errors."""

import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from news_app import Transcript  # noqa: E402
from wire import BATCH, Wire, news_hub  # noqa: E402

from harness.described import DescribedHub  # noqa: E402

ARTICLES = 200
ANNA = {"X-User-ID": "anna"}


def test_apps_decode_every_answer(stage):
    hub = DescribedHub(news_hub(stage).port, "news")
    transcript = Transcript()

    def ask(kind, method, target, body=None, status=200):
        answer = hub.ask(method, target, body, status=status, headers=ANNA)
        return transcript.add(kind, answer)

    articles = list(Wire(random.Random(3), ARTICLES).articles())
    for begin in range(0, ARTICLES, BATCH):
        hub.ask("POST", "/api/news/articles", {"articles": articles[begin : begin + BATCH]})
    holdings = {"focus_profile": "focused", "holdings": ["AAPL", {"ticker": "msft", "label": "M"}]}
    ask("preferences", "PUT", "/v1/preferences", holdings)
    assert ask("feed", "GET", "/v1/feed?limit=100&include=ignored")["items"]
    personal = ask("personal", "GET", "/v1/personalized-feed?limit=100")["items"]
    assert any(item["explanation"] for item in personal)
    assert any(item["explanation"] is None for item in personal)
    day = (datetime.now(UTC) - timedelta(hours=1, seconds=1)).date()
    groups = ask("groups", "GET", f"/v1/feed/story-groups?date={day}")
    assert groups["merged_feed"] and set(groups["by_ticker"]) == {"AAPL", "MSFT"}
    ask("brief", "GET", "/v1/brief/latest")
    ask("signal", "POST", "/v1/interpret", {"textOrUrl": "Fed holds rates. Shares of AAPL rise."})
    ask("signal", "POST", "/v1/interpret", {"textOrUrl": articles[0]["url"]})
    ask("articles", "GET", "/v2/top-headlines?country=us&pageSize=100")
    ask("articles", "GET", "/v2/everything?q=none")
    ask("sources", "GET", "/v2/top-headlines/sources")
    ask("summary", "GET", f"/v2/articles/summary?url={articles[0]['url']}")
    ask("error", "GET", "/v1/feed?limit=0", status=400)
    ask("error", "GET", "/v1/feed?cursor=x", status=400)
    ask("error", "PUT", "/v1/preferences", {"holdings": ["not a ticker"]}, 400)
    ask("error", "POST", "/v1/interpret", {"textOrUrl": ""}, 400)
    ask("error", "GET", "/v1/stories/999999", status=404)
    ask("newsAPIError", "GET", "/v2/top-headlines", status=400)
    ask("newsAPIError", "GET", "/v2/articles/summary?url=https://none.example/a", status=404)
    transcript.assert_apps_decode_everything()
