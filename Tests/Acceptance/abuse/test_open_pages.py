"""`/api/health` and `/metrics`, open to every client, cost little however much is stored."""

import http.client
import sqlite3
from contextlib import closing

from harness.attackers import address, attacking
from harness.others import GROWTH_MILLISECONDS_MAX, Others, namespace_of_others
from harness.settings import TOKENS, configuration, started_hub
from harness.sizes import size

DELIVERIES = size("DELIVERIES", small=200_000, full=2_000_000)
ATTACKERS = size("READERS", small=16, full=160)
# A page that counts everything takes less time than other attacks.
WITHIN_MILLISECONDS = GROWTH_MILLISECONDS_MAX // 4


def test_requests_for_health_and_metrics_delay_nobody_else(stage, record_property):
    spaces = [namespace_of_others()]
    hub = started_hub(stage, configuration(*spaces, tokens=TOKENS))
    hub.interrupt()
    store_deliveries(hub.database)
    hub.start()
    others = Others(stage, hub, "/api/health")
    answered = []

    def attack(number, is_over):
        source = (address(number), 0)
        page = http.client.HTTPConnection("127.0.0.1", hub.port, source_address=source)
        while not is_over.is_set():
            page.request("GET", ("/metrics", "/api/health")[number % 2])
            response = page.getresponse()
            response.read()
            answered.append(response.status)
        page.close()

    others.begin()
    with attacking(attack, range(ATTACKERS)):
        others.end(record_property, within=WITHIN_MILLISECONDS)
    record_property("pages", len(answered))
    assert answered


def store_deliveries(database):
    """As a receiver that was away for long leaves them, past the hub."""
    with closing(sqlite3.connect(database)) as store:
        names = [row[1] for row in store.execute("PRAGMA table_info(delivery)")]
        required = [
            row[1]
            for row in store.execute("PRAGMA table_info(delivery)")
            if row[3] and row[4] is None and row[1] != "id"
        ]
        values = {
            "endpoint": "'gone'",
            "message_id": "'message-' || number",
            "event_type": "'test'",
            "body": "x'7b7d'",
        }
        columns = [name for name in names if name in required]
        selected = ", ".join(values.get(name, "0") for name in columns)
        store.execute(
            f"""
            INSERT INTO delivery ({", ".join(columns)})
            WITH RECURSIVE numbers (number) AS (
                SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {DELIVERIES})
            SELECT {selected} FROM numbers
            """
        )
        store.commit()
