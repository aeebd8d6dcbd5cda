"""Readers page while articles arrive: the pages of a list neither repeat nor omit an entry."""

import random
import sys
from pathlib import Path

from harness.waiting import wait_until

sys.path.insert(0, str(Path(__file__).parent))
from wire import Pusher, Wire, count, news_hub, rows  # noqa: E402

ARTICLES = 1500
SECONDS = 15.0
PATIENCE_SECONDS = 60.0
SEED = 7
CATEGORY = "business"
FEED_PAGE = 5
HEADLINES_PAGE = 10
WALKS_MIN = 3


def test_walks_while_articles_arrive_repeat_and_miss_nothing(stage):
    hub = news_hub(stage)
    pusher = Pusher(hub.port, list(Wire(random.Random(SEED), ARTICLES).articles()), SECONDS)
    pusher.start()
    wait_until(lambda: pusher.done > ARTICLES // 10, within=PATIENCE_SECONDS, what="some articles")
    feeds, headlines = [], []
    while pusher.is_alive():
        feeds.append((newest(hub), feed_walk(hub)))
        headlines.append((newest(hub), headlines_walk(hub)))
    assert pusher.error is None
    assert len(feeds) >= WALKS_MIN
    wait_until(
        lambda: count(hub, "news_signal") == ARTICLES,
        within=PATIENCE_SECONDS,
        what="each article is in a story",
    )
    for known, walk in feeds:
        assert_is_whole_feed(hub, known, walk)
    for known, walk in headlines:
        assert_are_all_headlines(hub, known, walk)


def newest(hub):
    """The id of the latest stored article."""
    return rows(hub, "SELECT max(id) FROM news_article")[0][0]


def feed_walk(hub):
    ids, cursor = [], ""
    while cursor is not None:
        page = hub.get(f"/v1/feed?limit={FEED_PAGE}&include=ignored&cursor={cursor}").json()
        ids += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
    return ids


def headlines_walk(hub):
    query = f"/v2/top-headlines?country=us&category={CATEGORY}&pageSize={HEADLINES_PAGE}"
    first = hub.get(query).json()
    urls = [article["url"] for article in first["articles"]]
    page = 1
    while len(urls) < first["totalResults"]:
        page += 1
        more = hub.get(f"{query}&page={page}").json()
        assert more["totalResults"] == first["totalResults"]
        assert more["articles"], "the pages have fewer articles than the total"
        urls += [article["url"] for article in more["articles"]]
    past = hub.get(f"{query}&page={page + 1}").json()
    assert past["articles"] == [] and past["totalResults"] == len(urls)
    return urls


def assert_is_whole_feed(hub, known, walk):
    """The walk has each story of an article up to `known`, even if the story was merged into another since."""
    assert len(set(walk)) == len(walk)
    articles = rows(
        hub,
        """
        SELECT url, story_id, id FROM news_signal JOIN news_article ON id = article_id
        WHERE copy_of IS NULL
        """,
    )
    stories = {url: story for url, story, _ in articles}
    expected = {story for _, story, number in articles if number <= known}
    missing = expected - {stories[url] for url in walk}
    assert missing == set()


def assert_are_all_headlines(hub, known, walk):
    assert len(set(walk)) == len(walk)
    expected = rows(
        hub,
        f"""
        SELECT url FROM news_article
        WHERE id <= {known} AND country = 'us' AND category = 1 ORDER BY published_at DESC, id DESC
        """,
    )
    # More articles may have arrived before the first page was read.
    assert walk[len(walk) - len(expected) :] == [url for (url,) in expected]
