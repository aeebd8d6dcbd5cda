"""Writes zones.json: zone files, and what Python's zoneinfo makes of them.

    python3 Tests/ZoneTesting/make_zones.py /usr/share/zoneinfo > Tests/ZoneTesting/zones.json

All days and hours are found by counting minutes, so the hub's rules are not used.
"""

import base64
import json
import sys
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

# Those of the places first; then other rules: negative summer time, changes at midnight, half an hour, two
# hours, a day that was skipped, a change of the rule itself.
PLACES = [
    "Europe/Oslo",
    "America/Anchorage",
    "Atlantic/Reykjavik",
    "Europe/London",
    "Pacific/Auckland",
    "Australia/Hobart",
]
OTHERS = [
    "Europe/Dublin",
    "Africa/Cairo",
    "America/Havana",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "Asia/Gaza",
    "Pacific/Apia",
    "Pacific/Chatham",
]
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
QUIET = [("22:00", "07:00"), ("01:30", "02:30"), ("02:15", "02:45"), ("00:30", "00:00")]


def offset(zone, instant):
    return int(instant.astimezone(zone).utcoffset().total_seconds())


def clock(zone, instant):
    return instant.astimezone(zone).replace(tzinfo=None)


def seconds(instant):
    return int(instant.timestamp())


def changes(zone, start, end):
    """The instants from start to end at which the offset changes, to the minute."""
    found = []
    instant = start
    while instant < end:
        if offset(zone, instant) != offset(zone, instant + timedelta(hours=6)):
            while offset(zone, instant) == offset(zone, instant + MINUTE):
                instant += MINUTE
            instant += MINUTE
            found.append(instant)
        else:
            instant += timedelta(hours=6)
    return found


def first_showing(zone, time):
    """The first minute at which the clocks show this time or a later one."""
    instant = time.replace(tzinfo=timezone.utc) - timedelta(hours=27)
    while clock(zone, instant) < time:
        instant += MINUTE
    return instant


def at(date, text):
    hours, minutes = map(int, text.split(":"))
    return date + timedelta(hours=hours, minutes=minutes)


def around(zone, middle):
    """The days around a change, and the quiet hours that begin on them."""
    first = clock(zone, middle - 2 * DAY).replace(hour=0, minute=0)
    dates = [first + number * DAY for number in range(6)]
    if middle.year == 2011:
        # The day that Samoa skipped.
        dates = [date for date in dates if date.strftime("%m-%d") != "12-30"]
    quiet = []
    for start, end in QUIET:
        hours = []
        for date in dates:
            last = date if start < end else date + DAY
            hours.append(
                [seconds(first_showing(zone, at(date, start))), seconds(first_showing(zone, at(last, end)))]
            )
        quiet.append({"from": start, "to": end, "hours": hours})
    return {
        "days": [[date.strftime("%Y-%m-%d"), seconds(first_showing(zone, date))] for date in dates],
        "quiet": quiet,
    }


def vector(name, directory):
    data = (directory / name).read_bytes()
    zone = ZoneInfo.from_file(BytesIO(data), key=name)
    instants = set()
    for year in [*range(1960, 2045), 2060, 2100]:
        for month in (1, 7):
            instants.add(datetime(year, month, 15, 12, tzinfo=timezone.utc))
    found = changes(
        zone,
        datetime(2025, 11, 20, tzinfo=timezone.utc),
        datetime(2027, 11, 20, tzinfo=timezone.utc),
    )
    if name == "America/Sao_Paulo":
        found = changes(
            zone,
            datetime(2017, 9, 1, tzinfo=timezone.utc),
            datetime(2018, 4, 1, tzinfo=timezone.utc),
        )
    if name == "Pacific/Apia":
        found = changes(
            zone,
            datetime(2011, 12, 1, tzinfo=timezone.utc),
            datetime(2012, 1, 10, tzinfo=timezone.utc),
        )
    # Without summer time: the nights in which others change their clocks.
    middles = found or [
        datetime(2026, 3, 29, 1, tzinfo=timezone.utc),
        datetime(2026, 10, 25, 1, tzinfo=timezone.utc),
    ]
    for instant in middles:
        instants |= {instant - timedelta(seconds=1), instant, instant + timedelta(seconds=1)}
    return {
        "name": name,
        "file": base64.b64encode(data).decode(),
        "changes": [seconds(each) for each in found],
        "offsets": [[seconds(each), offset(zone, each)] for each in sorted(instants)],
        "nights": [around(zone, middle) for middle in middles],
    }


def main():
    directory = Path(sys.argv[1])
    zones = [vector(name, directory) for name in PLACES + OTHERS]
    print("[\n" + ",\n".join(json.dumps(zone, separators=(",", ":")) for zone in zones) + "\n]")


main()
