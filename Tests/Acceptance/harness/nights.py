"""Nights put together from recordings, for `varde replay`: demo/replay.yaml explains the form."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from .processes import REPOSITORY

DAY = timedelta(days=1)
SPACE = "recordings/spaceweather"
WEATHER = "recordings/weather/metno-locationforecast-compact.tromso"

# By product and name, the lines that say which files a recording has.
FILES = {
    "solar_wind": {
        "storm": f"field: {SPACE}/rtsw_mag_1m.2024-05-10-g5.reformatted.json\n"
        f"    plasma: {SPACE}/rtsw_wind_1m.2024-05-10-g5.reformatted.json",
        "april": f"field: {SPACE}/mag-7-day.2026-04-18.legacy-rows.json\n"
        f"    plasma: {SPACE}/plasma-7-day.2026-04-18.legacy-rows.json",
    },
    "planetary_k": {
        "storm": f"file: {SPACE}/noaa-planetary-k-index.2024-05-12-g5.reformatted.json",
        "quiet": f"file: {SPACE}/noaa-planetary-k-index.2026-08-01.objects.json",
        "february": f"file: {SPACE}/noaa-planetary-k-index.2026-02-09.legacy-rows.json",
    },
    "ovation": {
        "quiet": f"file: {SPACE}/ovation_aurora_latest.2026-08-01-quiet.json",
        "active": f"file: {SPACE}/ovation_aurora_latest.2024-12-09-active.json",
        "storm": f"file: {SPACE}/ovation_aurora_latest.2024-03-03-storm.json",
    },
    "weather": {
        "clear": f"file: {WEATHER}-clear.synthetic.json",
        "overcast": f"file: {WEATHER}-overcast.synthetic.json",
    },
}
# The synthetic evening has ten hours; from its first one on, eight are always there.
EVENING = "2025-01-01T18:00Z"
# A day of each product before the night, on which nothing happens.
QUIET_WIND = ("april", "2026-04-16T00:00Z")
QUIET_KP = ("quiet", "2026-07-30T12:00Z")


@dataclass
class Night:
    """The 24 hours from noon UTC of a date, and the quiet day before them.

    A segment is `(hours after noon, recording, from)`; a grid of OVATION stands still and has no
    `from`.
    """

    date: str
    wind: list[tuple[float, str, str]]
    kp: list[tuple[float, str, str]]
    ovation: list[tuple[float, str]]
    sky: str = "clear"
    start: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.start = f"{self.date}T12:00:00Z"

    def write(self, directory: Path) -> Path:
        """Makes a directory for `varde replay`."""
        directory.mkdir()
        (directory / "recordings").symlink_to(REPOSITORY / "recordings")
        tracks = {
            "solar_wind": ([(0, *QUIET_WIND)], self.wind),
            "planetary_k": ([(0, *QUIET_KP)], self.kp),
            "ovation": ([(0, "quiet")], self.ovation),
            "weather": (self._weather(), self._weather()),
        }
        lines = [
            f"night: {self.date}",
            f"begins: {self.date}T12:00Z",
            f"starts: {self.date}T12:00Z",
            f"ends: {_text(self._noon + DAY)}",
            "speed: 360",
            "ovation_every: 10",
            "recordings:",
        ]
        for product, (before, night) in tracks.items():
            for name in sorted({segment[1] for segment in before + night}):
                lines += [
                    f"  - name: {product}-{name}",
                    f"    product: {product}",
                    f"    {FILES[product][name]}",
                    "    status: recorded",
                    "    note: as recordings/README.md says",
                ]
        lines.append("tracks:")
        for product, (before, night) in tracks.items():
            lines += [f"  {product}:", "    before:", *self._segments(product, before, -DAY)]
            lines += ["    night:", *self._segments(product, night, timedelta())]
        (directory / "replay.yaml").write_text("\n".join(lines) + "\n")
        return directory

    @property
    def _noon(self) -> datetime:
        return datetime.fromisoformat(f"{self.date}T12:00:00+00:00")

    def _weather(self) -> list[tuple[float, str, str]]:
        return [(hours, self.sky, EVENING) for hours in (0, 8, 16)]

    def _segments(self, product: str, segments: list, shift: timedelta) -> list[str]:
        lines = []
        for hours, name, *origin in segments:
            at = _text(self._noon + shift + timedelta(hours=hours))
            begin = f", from: {origin[0]}" if origin else ""
            lines.append(f"      - {{at: {at}, recording: {product}-{name}{begin}}}")
        return lines


def _text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%MZ")
