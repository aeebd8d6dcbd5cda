"""The hub is killed while it polls, again and again: every answer counts once, and no poll that was
answered is asked again.

    SEED=7 KILLS=20 Tests/Acceptance/run.sh -k radar_restart
"""

import json
import os
import random
import re
import threading
import time
from collections import Counter

import pytest

from harness.provider_answers import late, stance
from harness.radar import ai_source
from harness.settings import namespace
from harness.store import event_log, spending, stored_opinions, stored_radars
from harness.waiting import wait_until

RADARS = 40
KILLS = int(os.environ.get("KILLS") or 6)
KILLED_AFTER_SECONDS = (0.0, 2.5)
ANSWER_SECONDS = 0.25
INTERVAL_SECONDS = 10
POLLS_AT_ONCE = 8
# Half of the radars ask as much before long.
REQUESTS_MAX = 60
PATIENCE_SECONDS = 60.0

VALUES = {
    "interval": f"{INTERVAL_SECONDS}s",
    "watched_interval": f"{INTERVAL_SECONDS}s",
    "polls_at_once": POLLS_AT_ONCE,
}


def eager(**values):
    return lambda provider: ai_source(provider, concurrency=POLLS_AT_ONCE, **values)


class NumberedAnswers:
    """Every answer has a number of its own in its text, by which it is found again."""

    def __init__(self):
        # The answer n is to the n-th question.
        self.questions = []
        self._lock = threading.Lock()

    def __call__(self, question):
        with self._lock:
            self.questions.append(question)
            number = len(self.questions)
        return late(stance(content=f"Answer {number}."), ANSWER_SECONDS)(question)

    @staticmethod
    def number(content):
        return int(re.fullmatch(r"Answer (\d+)\.", content)[1])


@pytest.mark.parametrize("hub_namespaces", [[namespace("radar")]], ids=["everything kept"])
@pytest.mark.parametrize("hub_sources", [[eager(daily_requests=0, daily_tokens=0)]])
@pytest.mark.parametrize("hub_values", [VALUES])
def test_killed_hub_keeps_every_answer_once_and_asks_for_none_again(
    radar_hub, user, provider, record_property
):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    answers = provider.stance = NumberedAnswers()
    ann = user("ann")
    names = [f"<topic {number}>" for number in range(RADARS)]
    topics = {ann.create(name)["id"]: name for name in names}

    for kill in range(1, KILLS + 1):
        # The moments are the point of this test: the hub has to survive any of them.
        time.sleep(moments.uniform(*KILLED_AFTER_SECONDS))
        radar_hub.kill()
        committed = assert_consistent(radar_hub, topics)
        known = len(answers.questions)
        # Nothing is lost but what was under way.
        assert known - len(committed) <= kill * POLLS_AT_ONCE
        assert provider.question_count <= requests_paid(radar_hub)
        dues = {each.topic: each.next_poll_at / 1000 for each in stored_radars(radar_hub.database)}
        restarted_at = time.time()
        radar_hub.start()

    wait_until(
        lambda: {each.radar_id for each in stored_opinions(radar_hub.database)} == set(topics),
        within=PATIENCE_SECONDS,
        what="every radar has an opinion",
    )
    radar_hub.interrupt()
    committed = assert_consistent(radar_hub, topics)
    assert len(answers.questions) - len(committed) <= (KILLS + 1) * POLLS_AT_ONCE
    assert_asked_when_due(answers.questions[known:], dues, restarted_at)
    record_property("answers that count", len(committed))
    record_property("asked for twice", len(answers.questions) - len(committed))


def assert_consistent(hub, topics):
    """What the database of a dead hub says has to fit together. Returns the numbers of the answers
    that are in it."""
    opinions = stored_opinions(hub.database)
    numbers = [NumberedAnswers.number(each.content) for each in opinions]
    assert len(numbers) == len(set(numbers)), "an answer that counts twice"
    radars = stored_radars(hub.database)
    assert {each.id: each.topic for each in radars} == topics
    # One opinion a poll, which is committed before the poll is over. An answer that was asked for
    # again would stay ahead for ever.
    counts = Counter(each.radar_id for each in opinions)
    assert all(0 <= counts[each.id] - each.refresh_count <= 1 for each in radars)
    data = [json.loads(each.data)["data"] for each in event_log(hub.database)]
    assert [each["opinion"]["id"] for each in data if "opinion" in each] == [
        each.id for each in opinions
    ]
    return set(numbers)


def assert_asked_when_due(questions, dues, restarted_at):
    """Of each topic the first question since the hub was started: a poll that was answered before
    is not asked again, so the radar still has its time."""
    first = {}
    for question in questions:
        first.setdefault(re.search(r"<topic \d+>", question.text)[0], question.arrived)
    waiting = {topic: due for topic, due in dues.items() if due > restarted_at}
    assert waiting, "nobody had been polled"
    for topic, due in waiting.items():
        assert first.get(topic, due) >= due, f"{topic} was asked about too soon"


@pytest.mark.parametrize("hub_sources", [[eager(daily_requests=REQUESTS_MAX)]])
@pytest.mark.parametrize("hub_values", [VALUES])
def test_crash_loop_spends_no_more_than_the_day_has(radar_hub, user, provider, record_property):
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    record_property("SEED", seed)
    moments = random.Random(seed)
    provider.stance = late(stance(), ANSWER_SECONDS)
    ann = user("ann")
    for number in range(RADARS // 2):
        ann.create(f"<topic {number}>")
    for _ in range(KILLS * 3):
        time.sleep(moments.uniform(0, 1))
        radar_hub.kill()
        assert provider.question_count <= requests_paid(radar_hub)
        assert all(each.requests <= REQUESTS_MAX for each in spending(radar_hub.database))
        radar_hub.start()
    record_property("requests", provider.question_count)


def requests_paid(hub):
    """Each is paid for before it is sent."""
    return sum(each.requests for each in spending(hub.database))
