"""Damaged pages of the database: the hub serves what was published, or says that it can't.

`SEEDS=200` sets how many damages are tried, `FIRST_SEED` which is the first.
"""

import os
import random
import re

from harness.damage import OF_FILES, copy_store
from harness.settings import ENVIRONMENT, configuration, namespace, started_hub
from harness.sizes import size
from harness.waiting import wait_until

TOPICS = [f"kept:{number}" for number in range(8)]
PUBLICATIONS = 25
# So that most of the file is payloads, and some need more than one page.
WORDS = (20, 1200)
TEXT = configuration(namespace("kept"))
SEEDS = size("SEEDS", small=12, full=200)
FIRST_SEED = int(os.environ.get("FIRST_SEED") or 1)
START_SECONDS = 30.0
# Of a row, or of a page that has no rows any more.
NAMED = re.compile("damaged publication passed over|corrupt|malformed")


def test_damaged_page_is_never_served_as_data(stage, record_property):
    image, published = stored(stage)
    served, missing, refused = 0, 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        spoil = OF_FILES[seed % len(OF_FILES)]
        hub = stage.hub(name=f"seed-{seed}", environment=ENVIRONMENT)
        hub.configure(TEXT)
        copy_store(image, hub.database)
        spoil(hub.database, random.Random(seed))
        if not has_started(hub):
            assert str(hub.database) in hub.process.log, hub.process.log
            refused += 1
            continue
        found = served_publications(stage, hub)
        for topic, text in found:
            assert text in published[topic], f"seed {seed}, {spoil.__name__}: {topic}: {text[:200]}"
        served += len(found)
        missed = len(TOPICS) * PUBLICATIONS - len(found)
        assert not missed or NAMED.search(hub.process.log), f"seed {seed}: {missed} are missing"
        missing += missed
        hub.process.kill()
    record_property("served", served)
    record_property("missing", missing)
    record_property("hubs that did not start", refused)
    assert served and missing, "no damage did any harm"


def stored(stage):
    """The files of a hub that stopped properly, and what was published to each topic."""
    words = random.Random(0)
    hub = started_hub(stage, TEXT)
    backend = stage.backend(hub.port)
    published = {topic: set() for topic in TOPICS}
    for number in range(PUBLICATIONS):
        for topic in TOPICS:
            text = f"{topic} {number} " + "word " * words.randint(*WORDS)
            backend.publish(topic, {"text": text})
            published[topic].add(text)
    hub.interrupt()
    image = stage.directory / "image.sqlite"
    copy_store(hub.database, image)
    return image, published


def has_started(hub):
    """Whether it listens; otherwise it has ended and said why."""
    run = hub.start(until_ready=False)
    wait_until(
        lambda: "listening" in run.log or not run.is_running,
        within=START_SECONDS,
        what=f"{hub.name} listens or ends",
    )
    return run.is_running


def served_publications(stage, hub):
    """Topic and text of everything that the hub still has. Answers are JSON, whatever happened."""
    backend = stage.backend(hub.port)
    found = []
    for topic in TOPICS:
        answer = backend.call("history", channel=topic, limit=-1)
        assert "result" in answer or answer["error"]["code"] == 100, answer
        for each in answer.get("result", {}).get("publications", []):
            found.append((topic, each["data"]["text"]))
    backend.close()
    return found
