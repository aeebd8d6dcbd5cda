"""A shop that takes orders and publishes each one exactly once. Standard library only.

The order and its event are rows of one transaction, so both exist or neither. `shop.py relay`
publishes the events. It may crash at any point: it sends an event again until the hub has
confirmed it, and the hub publishes it once.
"""

import argparse
import json
import os
import sqlite3
import time
import urllib.request

HUB = os.environ.get("VARDE_URL", "http://127.0.0.1:8000")
CHANNEL = "demo:orders"
BATCH_MAX = 100
IDLE_SECONDS = 0.5
RETRY_SECONDS_MAX = 10.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY, item TEXT NOT NULL, quantity INTEGER NOT NULL CHECK (quantity > 0)
);
CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: it is in the idempotency key
    channel TEXT NOT NULL, data TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS shop (name TEXT NOT NULL);
"""


def connect(path):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    with database:
        # Distinguishes this database from others that publish in the same topic.
        if not database.execute("SELECT name FROM shop").fetchone():
            database.execute("INSERT INTO shop VALUES (hex(randomblob(8)))")
    return database


def place_order(database, item, quantity):
    """Stores an order and its event. In Django this is the body of `transaction.atomic()`."""
    with database:
        cursor = database.execute(
            "INSERT INTO orders (item, quantity) VALUES (?, ?)", (item, quantity)
        )
        order = {"id": cursor.lastrowid, "item": item, "quantity": quantity}
        database.execute(
            "INSERT INTO outbox (channel, data) VALUES (?, ?)", (CHANNEL, json.dumps(order))
        )
    return order


def relay_once(database):
    """Publishes the oldest events in their order, deletes them, and returns their number."""
    shop = database.execute("SELECT name FROM shop").fetchone()[0]
    rows = database.execute(
        "SELECT id, channel, data FROM outbox ORDER BY id LIMIT ?", (BATCH_MAX,)
    ).fetchall()
    for number, channel, data in rows:
        publish(channel, json.loads(data), shop, number)
        # After a crash between these two lines, the event is sent again.
        with database:
            database.execute("DELETE FROM outbox WHERE id = ?", (number,))
    return len(rows)


def publish(channel, data, shop, number):
    body = {
        "channel": channel,
        "data": data,
        # A repetition within minutes gets the answer of the first request.
        "idempotency_key": f"{shop}-{number}",
        # A later one is recognized by its number, which has to be above the topic's last.
        "version": number,
        "version_epoch": shop,
    }
    request = urllib.request.Request(
        f"{HUB}/api/publish",
        data=json.dumps(body).encode(),
        headers={"X-API-Key": os.environ["VARDE_API_KEY"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        answer = json.load(response)
    if "error" in answer:
        raise RuntimeError(f"{answer['error']['code']} {answer['error']['message']}")


def relay(database, is_endless):
    """Relays what waits. Without a connection to the hub it tries again, ever less often."""
    pause = IDLE_SECONDS
    while True:
        try:
            count = relay_once(database)
        except (OSError, RuntimeError) as error:
            if not is_endless:
                raise
            print(f"trying again in {pause:g} s: {error}", flush=True)
            time.sleep(pause)
            pause = min(2 * pause, RETRY_SECONDS_MAX)
            continue
        pause = IDLE_SECONDS
        if count:
            print(f"published {count}", flush=True)
        elif not is_endless:
            return
        else:
            time.sleep(IDLE_SECONDS)


def main():
    parser = argparse.ArgumentParser(description="A shop with an outbox.")
    parser.add_argument("--database", default="shop.sqlite")
    commands = parser.add_subparsers(dest="command", required=True)
    order = commands.add_parser("order", help="places an order")
    order.add_argument("item")
    order.add_argument("quantity", type=int)
    relay_parser = commands.add_parser("relay", help="publishes events until it is stopped")
    relay_parser.add_argument("--once", action="store_true", help="ends when none waits")
    arguments = parser.parse_args()
    database = connect(arguments.database)
    try:
        if arguments.command == "order":
            print(json.dumps(place_order(database, arguments.item, arguments.quantity)))
        else:
            relay(database, is_endless=not arguments.once)
    except KeyboardInterrupt:
        pass
    finally:
        database.close()


if __name__ == "__main__":
    main()
