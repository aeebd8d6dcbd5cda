"""Articles arrive while the hub is killed repeatedly: every article is stored once, is in one story, and is
published once in each of its topics, and feeds, groups and topics agree.

The default size is for the checks of every change. At full size:

    ARTICLES=10000 KILLS=20 SECONDS=600 Tests/Acceptance/run.sh -k articles_arrive
"""

import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from harness.store import event_log
from harness.waiting import wait_until

sys.path.insert(0, str(Path(__file__).parent))
from wire import BATCH, CATEGORIES, TICKERS, Pusher, Wire, count, news_hub, rows  # noqa: E402

ARTICLES = int(os.environ.get("ARTICLES") or 1500)
KILLS = int(os.environ.get("KILLS") or 8)
# The time in which the articles arrive, not counting the time that the hub is down.
SECONDS = float(os.environ.get("SECONDS") or 15)
PATIENCE_SECONDS = 120.0
# The history of each topic keeps all publications.
NAMESPACE = {"name": "news", "anonymous_subscribe": True, "history_size": 100_000, "history_age": "24h"}
TOPICS = [
    "news:global",
    *(f"news:category:{each}" for each in CATEGORIES),
    *(f"news:ticker:{each}" for each in TICKERS),
]
GLOBAL_IMPORTANCE_MIN = 75
DAY_LIMIT = 100


def test_articles_arrive_while_the_hub_is_killed(stage, record_property):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    dice = random.Random(seed)
    hub = news_hub(stage, namespaces=[NAMESPACE])
    stream = stage.event_stream(hub.port, TOPICS)
    articles = list(Wire(dice, ARTICLES).articles())
    pusher = Pusher(hub.port, articles, SECONDS)
    pusher.start()
    for share in sorted(dice.random() for _ in range(KILLS)):
        wait_until(
            lambda share=share: pusher.done >= share * ARTICLES or pusher.error,
            within=SECONDS + PATIENCE_SECONDS,
            what="the next moment to kill the hub",
        )
        # A random pause, so that the hub is killed within transactions as well as between them.
        time.sleep(dice.uniform(0, SECONDS / ARTICLES * BATCH * 2))
        hub.kill()
        hub.start(until_ready=False)
    pusher.join(SECONDS + PATIENCE_SECONDS)
    assert pusher.error is None and not pusher.is_alive(), pusher.error
    hub.wait_until_ready()
    wait_until(
        lambda: count(hub, "news_signal") == ARTICLES,
        within=PATIENCE_SECONDS,
        what=lambda: f"each article is in a story: {count(hub, 'news_signal')}",
    )
    hub.interrupt()

    log = event_log(hub.database, TOPICS)
    record_property("events", len(log))
    assert_stored_once(hub, articles)
    assert_published_once(hub, log)
    hub.start()
    assert_lists_agree(hub)
    # The start of the hub reviews the stories, which may have published more events.
    log = event_log(hub.database, TOPICS)
    wait_until(
        lambda: stream.position >= log[-1].cursor, within=PATIENCE_SECONDS, what="the stream has all"
    )
    assert not stream.gaps
    read = [(event.id, event.topic, event.data) for event in stream.events]
    assert read[: len(log)] == [
        (each.cursor, each.topic, each.data) for each in log if each.cursor > stream.begin
    ]


def assert_stored_once(hub, articles):
    stored = [url for (url,) in rows(hub, "SELECT url FROM news_article ORDER BY id")]
    assert stored == [article["url"] for article in articles]
    problems = rows(
        hub,
        """
        SELECT id, article_count, copy_count, count(story_id), count(copy_of)
        FROM news_story LEFT JOIN news_signal ON story_id = id
        WHERE merged_into IS NULL GROUP BY id
        HAVING article_count <> count(story_id) - count(copy_of) OR copy_count <> count(copy_of)
        """,
    )
    assert problems == [], "stories count their articles"
    assert rows(hub, "SELECT * FROM news_signal WHERE story_id NOT IN (SELECT id FROM news_story)") == []
    assert rows(hub, "SELECT count(*) FROM news_signal WHERE copy_of IS NOT NULL")[0][0] > 0


def assert_published_once(hub, log):
    events = [(each.topic, json.loads(each.data)) for each in log]
    ids = Counter((topic, event["id"]) for topic, event in events)
    assert max(ids.values()) == 1, "an event is twice in a topic"
    signals = Counter(
        (topic, event["data"]["id"]) for topic, event in events if event["type"] == "news.signal.published"
    )
    assert signals == Counter(expected_signals(hub))
    created = Counter(
        event["subject"] for topic, event in events
        if event["type"] == "news.story.created" and topic.startswith("news:category:")
    )
    published = rows(hub, "SELECT id FROM news_story WHERE published_at IS NOT NULL")
    assert created == Counter(str(number) for (number,) in published)


def expected_signals(hub):
    """The topic and id of every signal that must be published."""
    for url, category, tickers, importance in rows(
        hub,
        """
        SELECT url, category, tickers, importance
        FROM news_signal JOIN news_article ON id = article_id
        WHERE copy_of IS NULL AND is_ignored = 0
        """,
    ):
        names = ["general", "business", "technology", "entertainment", "health", "science", "sports"]
        yield f"news:category:{names[category]}", url
        for ticker in tickers.split():
            yield f"news:ticker:{ticker}", url
        if importance >= GLOBAL_IMPORTANCE_MIN:
            yield "news:global", url


def assert_lists_agree(hub):
    """The feed has the best signal of each story, groups have the stories, both equal to `/v1/stories/{id}`."""
    items, cursor = [], ""
    while cursor is not None:
        page = hub.get(f"/v1/feed?limit=100&include=ignored&cursor={cursor}").json()
        items += page["items"]
        cursor = page["next_cursor"]
    stories = dict(
        rows(
            hub,
            """
            SELECT url, story_id FROM news_signal JOIN news_article ON id = article_id
            WHERE copy_of IS NULL
            """,
        )
    )
    listed = Counter(stories[item["id"]] for item in items)
    assert listed == Counter(set(stories.values())), "each story is once in the feed"
    for item in items[::50]:
        single = hub.get(f"/v1/stories/{stories[item['id']]}").json()
        assert single["articles"][0]["id"] == item["id"]
        found = hub.get(f"/v1/search?q={quote(item['title'])}").json()["items"]
        assert item in found
    day = max(item["published_at"] for item in items)[: len("2026-01-02")]
    groups = hub.get(f"/v1/feed/story-groups?limit_global={DAY_LIMIT}&date={day}").json()
    assert groups["global"]
    for group in groups["global"]:
        single = hub.get(f"/v1/stories/{group['id']}").json()
        assert {key: single[key] for key in group} == group
