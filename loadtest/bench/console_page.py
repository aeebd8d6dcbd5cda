"""A page of the console in Chromium, and what it uses: work of each frame, memory, first paint.

The work of a frame is the processor time of all tasks of the page's main thread between two callbacks of
`requestAnimationFrame`, from a trace of the browser: scripts, layout, paint and garbage collection. The processor time
of a thread does not include the time in which other processes have its core. Compositing and rasterising, which a
machine with a graphics processor gives to that, are other threads, and are not included.

Memory is measured in a browser of its own: playwright lets Chromium keep the bodies of all answers in the page's
process.
"""

import json
import sys
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

from radars_usage import processor_seconds
from servers import HERE

sys.path.append(str(HERE.resolve().parents[1] / "Tests/Acceptance"))
from harness.browser import Browser  # noqa: E402

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
# Keeps frames coming, sixty a second, also while nothing changes.
FRAMES = "(() => { const next = () => requestAnimationFrame(next); next(); })()"
PAINT = """async () => {
    const entry = () => performance.getEntriesByName("first-contentful-paint")[0];
    while (!entry()) await new Promise((resolve) => setTimeout(resolve, 5));
    return entry().startTime;
}"""
# A hub that was watched for an hour has a sample of each second: the newest one, repeated, with times in every bucket.
HOUR = """
const original = window.fetch;
window.fetch = async (url, options) => {
  const response = await original(url, options);
  if (!String(url).includes("/api/stats?span=hour") || !response.ok) return response;
  const answer = await response.json();
  const times = Array.from({ length: answer.bounds.length + 1 }, (_, index) => index);
  const newest = { connections: 10000, publications: 1000, deliveries: 11000, received: 1e6, sent: 1e7, dropped: 0,
    slow: 0, loop_lag: 0.001, webhooks_pending: 0, memory: 1e8, cpu: 0.1, ...answer.samples.at(-1),
    write: times, ping: times, commit: times };
  answer.samples = Array.from({ length: 3600 }, (_, index) => (
    { ...newest, time: new Date(Date.now() - 3_600_000 + 1000 * index).toISOString() }));
  return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
};
"""
SIZE = {"width": 1280, "height": 800}


def launch(playwright):
    return playwright.chromium.launch(
        executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
    )


def share(values, part):
    """The quantile of a list."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def private_bytes(pid):
    """Memory of a process that it shares with no other one."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().split("\n")
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024


class Console:
    """One tab, signed in."""

    def __init__(self, browser, root, key):
        self.root = f"{root}/console/"
        self.session = browser.new_browser_cdp_session()
        self.context = browser.new_context(viewport=SIZE)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.goto(self.root)
        self.page.get_by_label("API key").fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("navigation", name="Views").wait_for()
        self.page.add_init_script(HOUR)

    def show(self, view):
        self.page.goto(self.root + view)
        self.page.locator("main tbody tr").first.wait_for()

    def wait(self, seconds):
        """Lets the page live; playwright reads its messages meanwhile."""
        self.page.wait_for_timeout(seconds * 1000)

    def frames(self, seconds):
        """Milliseconds of work of each frame, and from each frame to the next one."""
        events, ended = [], []
        self.page.evaluate(FRAMES)
        take = lambda message: events.extend(message["value"])
        end = lambda message: ended.append(message)
        self.session.on("Tracing.dataCollected", take)
        self.session.on("Tracing.tracingComplete", end)
        settings = {"includedCategories": CATEGORIES, "excludedCategories": ["*"]}
        self.session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": settings})
        self.wait(seconds)
        self.session.send("Tracing.end")
        while not ended:
            self.wait(0.05)
        self.session.remove_listener("Tracing.dataCollected", take)
        self.session.remove_listener("Tracing.tracingComplete", end)
        return work_of_frames(events)

    def close(self):
        self.context.close()


def work_of_frames(events):
    """From a trace: milliseconds of work of each frame, and between frames."""
    frames = [each for each in events if each["name"] == "FireAnimationFrame" and each["ph"] == "X"]
    thread, _ = Counter((each["pid"], each["tid"]) for each in frames).most_common(1)[0]
    starts = sorted(each["ts"] for each in frames if (each["pid"], each["tid"]) == thread)
    work = defaultdict(float)
    for each in events:
        if each["name"] == "RunTask" and each["ph"] == "X" and (each["pid"], each["tid"]) == thread:
            work[bisect_right(starts, each["ts"])] += each.get("tdur", 0) / 1000
    # The first and the last one are not whole.
    whole = [work[number] for number in range(1, len(starts))]
    return whole, [(after - before) / 1000 for before, after in zip(starts, starts[1:])]


def first_paints(browser, url, count):
    """Milliseconds from the navigation to the first text, each with an empty cache."""
    found = []
    for _ in range(count):
        context = browser.new_context(viewport=SIZE)
        page = context.new_page()
        page.goto(url)
        found.append(page.evaluate(PAINT))
        context.close()
    return found


def descendants(pid):
    found = [pid]
    for each in found:
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found[1:]


def is_renderer(pid):
    return b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes()


class Memory:
    """A browser with the console, in which only its memory is looked at."""

    def __init__(self, directory, root, key):
        self.browser = Browser(directory)
        self.root = f"{root}/console/"
        self.page = self.browser.open("about:blank")
        self.page.command("Page.enable")
        sign_in = f"sessionStorage.setItem('varde-api-key', {json.dumps(key)});"
        self.page.command("Page.addScriptToEvaluateOnNewDocument", source=sign_in + HOUR)
        self.page.command("Performance.enable")

    def measure(self, view, seconds):
        """The largest heap of the page's scripts, and the largest private memory of its process."""
        self.page.command("Page.navigate", url=self.root + view)
        time.sleep(5)
        assert self.page.value("document.querySelectorAll('main tbody tr').length") > 0, view
        pid = self.process()
        heaps, sizes, end = [], [], time.monotonic() + seconds
        while time.monotonic() < end:
            metrics = self.page.command("Performance.getMetrics")["metrics"]
            heaps.append(next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize"))
            sizes.append(private_bytes(pid))
            time.sleep(0.5)
        return max(heaps), max(sizes)

    def process(self):
        """Of the page: Chromium has others in reserve, which do nothing."""
        pids = [pid for pid in descendants(self.browser._process.pid) if is_renderer(pid)]
        before = {pid: processor_seconds(pid) for pid in pids}
        time.sleep(5)
        return max(pids, key=lambda pid: processor_seconds(pid) - before[pid])

    def close(self):
        self.browser.close()
