"""An evening at Tromsø on which every upstream stands still, and a hub that watches it."""

from .stage import ALERTS, Stage
from .still import between, recorded
from .waiting import wait_until

PATIENCE_SECONDS = 40.0
SPACE = "spaceweather"
CLEAR = "weather/metno-locationforecast-compact.tromso-clear.synthetic.json"
OVERCAST = "weather/metno-locationforecast-compact.tromso-overcast.synthetic.json"
PROPAGATED = f"{SPACE}/propagated-solar-wind-1-hour.2026-09-26.excerpt.json"
FIELD = f"{SPACE}/rtsw_mag_1m.2026-09-26.excerpt.json"
PLASMA = f"{SPACE}/rtsw_wind_1m.2026-09-26.excerpt.json"
# An evening that is dark at Tromsø, in the middle of what its grid of OVATION is for.
EVENING = "2024-12-09T17:10:00Z"
# The wind of an autumn afternoon, newest minute 18:51, and the sky of a January evening.
WIND_MOVE = between("2026-09-26T18:55:00", "2024-12-09T17:10:00")
SKY_MOVE = between("2025-01-01T19:00:00", "2024-12-09T17:00:00")
# What no minute of the recordings says: were it believed, there would be an alert.
ABSURD_FIELD = {"bz": -90.0, "by": 0.0, "bt": 90.0, "bz_gsm": -90.0, "by_gsm": 0.0}
ABSURD_PLASMA = {"speed": 1200.0, "proton_speed": 1200.0}
ABSURD = ABSURD_FIELD | ABSURD_PLASMA
# The rule of the default configuration, without the time that it holds: a false alert would be told
# at once.
RULE = """
alerts:
  - name: at-once
    topics: "aurora:*"
    when: 'score >= 70 and level == "excellent"'
    hold: 0s
"""


def evening(sky=CLEAR, grid="2024-12-09-active"):
    """What the upstreams say on that evening."""
    bodies = {
        "swpc.solar_wind": recorded(PROPAGATED, moved=WIND_MOVE),
        "swpc.rtsw_mag": recorded(FIELD, moved=WIND_MOVE),
        "swpc.rtsw_wind": recorded(PLASMA, moved=WIND_MOVE),
        "metno.weather:tromso": recorded(sky, moved=SKY_MOVE),
        "swpc.ovation": recorded(f"{SPACE}/ovation_aurora_latest.2024-12-09-active.json"),
    }
    if grid == "quiet":
        moved = between("2026-08-01T18:16:00", "2024-12-09T16:57:00")
        quiet = f"{SPACE}/ovation_aurora_latest.2026-08-01-quiet.json"
        bodies["swpc.ovation"] = recorded(quiet, moved=moved)
    return bodies


class Watched:
    """A hub, its upstream, and who hears of its alerts."""

    def __init__(
        self, stage: Stage, bodies, start, *, speed=1, aurora="", name="hub", database=None
    ):
        self.upstream = stage.still_upstream(bodies)
        self.hub = stage.aurora_hub(
            self.upstream.url, start=start, speed=speed, aurora=aurora, name=name
        )
        self.hub.configure(self.hub.configuration.read_text() + RULE)
        self.hub.database = database or self.hub.database
        self.hub.start()
        self.stream = stage.event_stream(self.hub.port, [ALERTS])
        wait_until(
            lambda: all(feed["status"] != "starting" for feed in self.hub.feeds().values()),
            within=PATIENCE_SECONDS,
            what=lambda: f"all feeds have answered: {self.hub.feeds()}",
        )

    def explain(self):
        return self._known("/api/aurora/now?explain=1")

    def _known(self, target):
        """The last upstream to answer makes the conditions known a moment later."""

        def answer():
            response = self.hub.get(target)
            return response if response.status == 200 else None

        what = "the conditions are known"
        return wait_until(answer, within=PATIENCE_SECONDS, what=what).json()

    def inputs(self):
        return {each["name"]: each for each in self.explain()["inputs"]}

    def now(self):
        return self._known("/api/aurora/now")

    @property
    def alerts(self):
        return [event.json() for event in self.stream.events]

    def wait_for_alert(self):
        return wait_until(
            lambda: self.alerts, within=PATIENCE_SECONDS, what=lambda: f"an alert: {self.now()}"
        )
