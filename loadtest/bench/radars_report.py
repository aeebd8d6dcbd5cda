"""Turns what radars.py has found into a table of text and a section of Markdown."""

import os
import platform
import statistics
from collections import Counter
from itertools import pairwise

from radars_watchers import SOCKET, STREAM
from report import number, processor, system

# At most: the largest minute as a multiple of the mean, and seconds from an answer to its readers.
MINUTE_GOAL = 2.0
LATENCY_GOAL = 1.0
# With fewer polls in a minute on average, chance alone makes one of them twice as large.
JUDGED_MEAN_MIN = 100
HOUR = 3600
# A radar that is due so many seconds of the hub's clock before the end has to be polled until then.
END_MARGIN = 60


class Findings:
    """Figures of the time that was observed. Seconds are real ones where nothing else is said."""

    def __init__(self, run):
        self.run, self.speed = run, run.options.speed
        stances = [each for each in run.provider.questions if each.is_stance]
        self.polls = [each for each in stances if run.start <= each.arrived < run.end]
        self.per_minute = self.minutes()
        self.per_radar = Counter(Counter(each.radar for each in self.polls).values())
        self.per_radar[0] = run.options.radars - sum(self.per_radar.values())
        self.compare_with_due_times()
        self.measure_distances(stances)
        self.match_readers()

    def minutes(self):
        """Polls in each minute of the hub's clock; what is left of a minute is not one."""
        counts = Counter(int((each.arrived - self.run.start) * self.speed // 60) for each in self.polls)
        return [counts[minute] for minute in range(int(self.run.options.minutes))]

    def compare_with_due_times(self):
        """Lateness is from the due time to the first question at the provider."""
        start = self.run.start * self.speed + self.run.offset
        end = self.run.end * self.speed + self.run.offset
        first = {}
        for poll in self.polls:
            first.setdefault(poll.radar, poll.arrived * self.speed + self.run.offset)
        self.late, self.forgotten = [], 0
        for radar, identifier in enumerate(self.run.ids):
            due = self.run.due[identifier]
            # One that was under way when the times were read has its next time already, or not yet.
            if due < start:
                continue
            if radar in first:
                self.late.append((first[radar] - due) / self.speed)
            elif due < end - END_MARGIN:
                self.forgotten += 1

    def measure_distances(self, stances):
        """Of consecutive polls of one radar."""
        by_radar = {}
        for each in stances:
            by_radar.setdefault(each.radar, []).append(each)
        pairs = [pair for polls in by_radar.values() for pair in pairwise(sorted(polls))]
        self.overlaps = sum(second.arrived < first.answered for first, second in pairs)
        distances = [second.arrived - first.arrived for first, second in pairs]
        self.least_distance = "none was polled twice"
        if distances:
            self.least_distance = f"{min(distances) * self.speed / 60:.1f} minutes of the hub's clock"

    def match_readers(self):
        run = self.run
        self.latencies = {SOCKET: [], STREAM: []}
        self.lost = self.repeated = 0
        for poll in self.polls:
            way = run.watched.get(poll.radar)
            if way is None:
                continue
            received = run.watchers.received.get(poll.answer, [])
            arrivals = [time for its_way, time in received if its_way == way]
            self.lost += not arrivals
            self.repeated += len(arrivals) > 1
            self.latencies[way] += [arrivals[0] - poll.answered] if arrivals else []

    @property
    def all_latencies(self):
        return self.latencies[SOCKET] + self.latencies[STREAM]

    @property
    def largest_minute(self):
        return max(self.per_minute) / statistics.mean(self.per_minute)

    @property
    def is_spread_judged(self):
        return statistics.mean(self.per_minute) >= JUDGED_MEAN_MIN

    def problems(self):
        found = list(self.run.problems)
        if self.is_spread_judged and self.largest_minute > MINUTE_GOAL:
            found.append(f"the largest minute has {self.largest_minute:.2f} times the mean")
        if self.forgotten:
            found.append(f"{self.forgotten} radars were due and not polled")
        if self.overlaps:
            found.append(f"{self.overlaps} polls began before the last one of their radar had its answer")
        if self.lost or self.repeated:
            found.append(f"of the watched opinions {self.lost} did not arrive, {self.repeated} came twice")
        if not self.all_latencies:
            found.append("no watched radar was polled")
        elif max(self.all_latencies) > LATENCY_GOAL:
            found.append(f"an opinion took {max(self.all_latencies):.2f} s from its answer to its reader")
        if self.run.counted["poll_errors"]:
            found.append(f"{self.run.counted['poll_errors']:.0f} questions failed")
        return found


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def distribution(values, scale=1000, unit="ms"):
    if not values:
        return "–"
    figures = [percentile(values, share) * scale for share in (0.5, 0.99, 1)]
    return "p50 {}, p99 {}, most {} {}".format(*map(number, figures), unit)


def megabytes(count):
    return f"{count / 1_000_000:,.1f} MB"


def beginning(run):
    radars, hub = run.options.radars, run.begin_usage.seconds["hub"]
    if run.options.again:
        return []
    return [
        ["**the beginning**", ""],
        [
            "radars made and polled for the first time",
            f"{radars:,} in {run.begin_seconds:,.0f} s, {radars / run.begin_seconds:,.0f}/s",
        ],
        ["questions, as a first poll has two", f"{run.begin_questions:,}"],
        ["hub's processor time for each radar", f"{hub / radars * 1000:.2f} ms"],
    ]


def schedule(run, found):
    polls, seconds = len(found.polls), run.end - run.start
    most, mean = max(found.per_minute), statistics.mean(found.per_minute)
    times = [f"{count:,} radars {polls}" for polls, count in sorted(found.per_radar.items()) if count]
    goal = f"goal: {MINUTE_GOAL:g}" if found.is_spread_judged else "too few to judge"
    lag = f"{max(run.lags):.2f} s of the hub's clock, {max(run.lags) / found.speed * 1000:,.0f} ms of ours"
    return [
        ["**the schedule**", f"{run.options.minutes:g} minutes of the hub's clock in {seconds:,.0f} s"],
        ["polls", f"{polls:,}, {polls / seconds:,.1f}/s; failed: {run.counted['poll_errors']:.0f}"],
        [
            "polls in a minute of the hub's clock",
            f"least {min(found.per_minute):,}, mean {mean:,.0f}, most {most:,}: "
            f"{found.largest_minute:.2f} times the mean ({goal})",
        ],
        ["polls of a radar", ", ".join(times)],
        ["least distance of two polls of a radar", found.least_distance],
        ["radars that were due and not polled", f"{found.forgotten}"],
        ["polls of one radar at the same time", f"{found.overlaps}"],
        ["from the due time to the question at the provider", distribution(found.late)],
        ["`hub_poll_lag_seconds`", f"{len(run.lags)} samples, most {lag}"],
    ]


def readers(run, found):
    arrived = f"{len(found.all_latencies)} opinions, {found.lost} lost, {found.repeated} twice"
    return [
        ["**the readers**", f"{len(run.watched)} watched radars; {arrived}"],
        ["from the answer to the app's socket", distribution(found.latencies[SOCKET])],
        ["from the answer to the event stream", distribution(found.latencies[STREAM])],
    ]


def cost(run, found):
    used, polls, seconds = run.used, len(found.polls), run.end - run.start
    hub = used.seconds["hub"]
    memory = [run.begin_usage.resident, used.resident, used.resident_peak]
    in_real_time = ["the same at the clock's real speed", f"{hub / polls * run.options.radars / HOUR:.1%}"]
    return [
        ["**what it costs the hub**", ""],
        ["processor time of a poll", f"{hub / polls * 1000:.2f} ms"],
        ["share of one core while observed", f"{hub / seconds:.1%}"],
        *([] if found.speed == 1 else [in_real_time]),
        ["transactions of a poll", f"{run.counted['hub_store_commits_total'] / polls:.2f}"],
        ["written to the disk for a poll", f"{used.written / polls / 1000:,.1f} kB"],
        ["resident memory before, after, at most", ", ".join(map(megabytes, memory))],
        ["database, write-ahead log", ", ".join(map(megabytes, run.sizes.values()))],
    ]


def machine(run):
    used, seconds = run.used, run.end - run.start
    parts = [f"{used.seconds[name] / seconds:.1%}" for name in ("provider", "readers", "load")]
    return [
        ["**the machine meanwhile**", ""],
        ["provider, readers, load", ", ".join(parts) + " of one core"],
        ["everything else on it", f"{used.others / seconds:.1%} of one core of {os.cpu_count()}"],
        ["load average", ", ".join(f"{each:.2f}" for each in os.getloadavg())],
    ]


def write_report(run):
    found = Findings(run)
    run.problems = found.problems()
    table = [*beginning(run), *schedule(run, found), *readers(run, found), *cost(run, found), *machine(run)]
    print()
    for name, text in table:
        print(f"{name.replace('**', ''):58} {text}")
    print("\npolls by minute:", *found.per_minute)
    for problem in run.problems:
        print("PROBLEM:", problem)
    page = markdown(run, found, table)
    print("\n" + page)
    if run.options.output:
        run.options.output.write_text(page)


def markdown(run, found, table):
    options = run.options
    system_text = f"{system()}, Linux {platform.release().split('-')[0]}"
    lines = [
        "## Radars",
        "",
        f"{options.radars:,} radars with an interval of one hour and one source, a provider that answers after",
        f"{options.latency:g} ms, and {len(run.watched)} readers: half of them at the app's socket, half in one",
        "event stream. The provider is a process of its own, which notes when a question came and when its",
        "answer was handed to the kernel.",
        "",
        *about_clock(options.speed),
        "",
        f"Machine: {processor()}, {os.cpu_count()} cores, {system_text}. Nothing is pinned: hub, provider,",
        "readers and whatever else runs share all cores.",
        "",
        "| what | figure |",
        "| --- | --- |",
        *(f"| {name} | {text} |" for name, text in table),
        "",
        "Polls in each minute of the hub's clock: " + ", ".join(map(str, found.per_minute)) + ".",
        "",
        *(f"Problem: {problem}.\n" for problem in run.problems),
        "```sh",
        "python3 " + " ".join(["loadtest/bench/radars.py", *command(options)]),
        "```",
    ]
    return "\n".join(lines) + "\n"


def about_clock(speed):
    if speed == 1:
        return ["The hub's clock runs as ours does."]
    return [
        f"The hub's clock runs {speed:g} times as fast as ours. Due times, minutes and intervals are on that",
        "clock; everything that is work (requests, commits, deliveries, processor time) takes real time. So",
        f"the hub polls {speed:g} times as often as it would, and being 1 s behind shows as a lag of",
        f"{speed:g} s. The share of a core at the clock's real speed is the processor time of a poll times the",
        "polls of an hour; in truth it is more, as polls that come singly share no transactions: `--again",
        "--speed 1` measures it.",
    ]


def command(options):
    """The options that make another run like this one."""
    values = [("radars", options.radars), ("speed", options.speed)]
    values += [("minutes", options.minutes), ("latency", options.latency)]
    texts = [f"--{name} {value:.0f}" if value % 1 == 0 else f"--{name} {value}" for name, value in values]
    return [*texts, "--again"] if options.again else texts
