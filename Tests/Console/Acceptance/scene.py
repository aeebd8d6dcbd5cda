"""Two hubs with data for every view of the console: one with the clock of the machine, and one in the recorded night."""

import urllib.request
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

from harness.film_app import FilmApp
from harness.waiting import wait_until
from test_console import DIRECTORY, KEY, publish
from test_domains import DOMAINS, article, create_radar, push_articles, push_opinion

ALERTS = """\
webhook_limits: {allow_addresses: [127.0.0.0/8], ports: [PORT]}
namespaces:
  - {name: chat, anonymous_subscribe: true, history_size: 1000, history_age: 1h, presence: true}
  - {name: orders, anonymous_subscribe: true, history_size: 1000, history_age: 1h}
hooks:
  - {name: app, url: "http://127.0.0.1:9/{event}"}
webhooks:
  - {name: ops, url: "URL", secret: "SECRET", topics: ["orders:*"]}
alerts:
  - name: slow-orders
    topics: "orders:*"
    when: delay > 20
    until: delay < 10
    severity: warning
    escalate: [{severity: critical, when: delay > 50}]
"""
SECRET = "whsec_dmFyZGUtY29uc29sZS1zY2VuZS0wMDAwMDAwMDA="
DELAYS = [6, 8, 7, 12, 18, 24, 31, 44, 58, 63, 41, 22, 14, 9, 6, 5, 8, 11, 26, 28, 19, 12, 8, 6, 15, 23, 27]
STANCES = ["for", "for", "against", "neutral", "for"]


class Scene:
    """`addresses` has for each view the hub and the address with its data."""

    def __init__(self, stage):
        self.stage = stage
        self.streams = ExitStack()
        stage.ends_with(self.streams.close)
        self.start_hub()
        self.start_night()
        client = self.messages()
        self.orders()
        radar = self.people()
        self.addresses = {view: (self.hub, view) for view in ("now", "try", "connections", "latency", "api")} | {
            "topics": (self.hub, "topics?topic=chat:team"),
            "explain": (self.hub, f"explain?topic=chat:team&offset=2&client={client}"),
            "alerts": (self.hub, "alerts?topic=orders:17"),
            "webhooks": (self.hub, "webhooks?webhook=ops"),
            "replay": (self.hub, "replay?topic=orders:17"),
            "radar": (self.hub, f"radar?radar={radar}"),
            "activity": (self.hub, f"activity?user={self.ola.id}"),
            "news": (self.hub, "news"),
            "doors": (self.hub, "doors"),
            "feeds": (self.night, "feeds"),
            "aurora": (self.night, "aurora"),
        }

    def start_hub(self):
        receiver = self.stage.receiver([503, 204, 503, 503])
        port = receiver.url.rsplit(":", 1)[1].strip("/")
        self.hub = self.stage.hub()
        text = ALERTS.replace("URL", receiver.url).replace("PORT", port).replace("SECRET", SECRET)
        self.hub.configure(DOMAINS + text)
        self.hub.start()

    def start_night(self):
        upstream = f"http://127.0.0.1:{self.stage.replay()}"
        self.night = self.stage.aurora_hub(
            upstream, start="2024-12-09T19:30:00Z", speed=60, news=upstream, name="night"
        )
        text = self.night.configuration.read_text().replace("keys: [varde-demo-api-key]", f"keys: [{KEY}]")
        self.night.configure(text + f"console: {{enabled: true{DIRECTORY}}}\n")
        self.night.start()
        for route in ("now", "oval"):
            wait_until(
                lambda route=route: self.night.get(f"/api/aurora/{route}").status == 200,
                within=60,
                what=f"{route} is known",
            )

    def messages(self):
        """Readers, and publications that they received; returns the client of one reader."""
        for topic, count in {"chat:team": 5, "chat:lobby": 12, "chat:help": 3, "orders:17": 2}.items():
            url = f"http://127.0.0.1:{self.hub.port}/events?topics={topic}"
            for _ in range(count):
                self.streams.enter_context(urllib.request.urlopen(url, timeout=600))
        self.stage.sdk(self.hub.port, ["chat:team"])
        client = wait_until(self.client, within=20, what="the client is in the topic")
        for text in ("Good morning", "The ferry is late", "It sails at nine"):
            publish(self.hub, "chat:team", {"text": text}, tags={"kind": "notice"})
        return client

    def client(self):
        answer = FilmApp(self.hub.port).call(
            "POST", "/api/presence", body={"channel": "chat:team"}, X_API_Key=KEY
        )
        return next(iter(answer.json()["result"]["presence"]), None)

    def orders(self):
        """An hour of orders, two of which raise alerts, the last of them still."""
        begin = datetime.now(UTC) - timedelta(minutes=2 * len(DELAYS))
        for number, delay in enumerate(DELAYS):
            time = (begin + timedelta(minutes=2 * number)).isoformat(timespec="milliseconds")
            event = {
                "specversion": "1.0", "id": f"o{number}", "source": "/orders", "type": "orders.order",
                "time": time.replace("+00:00", "Z"), "data": {"delay": delay, "items": 1 + number % 4},
            }  # fmt: skip
            publish(self.hub, "orders:17", event)

    def people(self):
        """Friends with ratings, stories, and a radar with opinions; returns the id of the radar."""
        app = FilmApp(self.hub.port)
        kari, self.ola = app.log_in("Kari"), app.log_in("Ola")
        app.befriend(kari, self.ola)
        for film in (1, 2, 3):
            rating = {"rating": 2 + film, "comment": "Good.", "is_review": False}
            app.ask("POST", f"/movies/{film}/rate", kari.token, rating)
        stories = [article(story, number) for story in ("alpha", "beta", "gamma") for number in range(2)]
        push_articles(self.hub, app, stories)
        radar = create_radar(app, kari, "four-day working week", isPublic=True)
        for number, stance in enumerate(STANCES):
            push_opinion(app, radar, author=f"Author {number}", stance=stance)
        return radar["id"]
