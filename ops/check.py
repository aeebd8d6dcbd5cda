"""Checks the rules of Prometheus and the dashboard of Grafana against the metrics that a hub exports.

    ops/check.py                      prints what is wrong, one line each
    ops/check.py --expressions FILE   also writes the dashboard's expressions as rules for promtool

docs/reference/metrics.md lists the metrics; a test of the hub compares it with the answer of `/metrics`.
"""

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPS = ROOT / "ops"

# Series that Prometheus itself makes, and labels that it adds.
OWN_SERIES = {"up": set()}
OWN_LABELS = {"job", "instance"}

ROW = re.compile(r"^\| `([a-z_]+)(?:\{([a-z_,]+)\})?` \| (counter|gauge|histogram) \|", re.M)
NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
SELECTOR = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)\s*\{([^{}]*)\}")
MATCHER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:=~|!~|!=|=)\s*\"")


def series_of(reference):
    """The series of a reference, with their labels: of a histogram three."""
    series = dict(OWN_SERIES)
    for name, labels, kind in ROW.findall(reference):
        labels = set(filter(None, labels.split(",")))
        if kind == "histogram":
            series |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
        else:
            series[name] = labels
    return series


def is_metric(name):
    return name.startswith(("hub_", "process_"))


def unknown_names(text, series, recorded=()):
    """Metrics that the hub does not export, and recorded series that no rule makes."""
    found = [name.strip(":") for name in NAME.findall(text)]
    for name in sorted(set(found)):
        if is_metric(name) and name not in series:
            yield f"the hub exports no {name}"
        if ":hub_" in name and name not in recorded:
            yield f"no rule records {name}"


def unknown_labels(text, series):
    """Labels of selectors that the metric does not have."""
    for name, matchers in SELECTOR.findall(text):
        if name not in series:
            continue
        for label in MATCHER.findall(matchers):
            if label not in series[name] | OWN_LABELS:
                yield f"{name} has no label {label}"


def rule_problems(rules, tests, series, root=ROOT):
    text = "\n".join(line for line in rules.splitlines() if not line.strip().startswith("#"))
    recorded = set(re.findall(r"- record: (\S+)", text))
    yield from unknown_names(text, series, recorded)
    yield from unknown_names(tests, series, recorded)
    yield from unknown_labels(text, series)
    yield from unknown_labels(tests, series)
    alerts = re.findall(r"- alert: (\S+)", text)
    for name in sorted({name for name in alerts if alerts.count(name) > 1}):
        yield f"there are two alerts {name}"
    cases = re.split(r"^  - name: ", tests, flags=re.M)[1:]
    for name in alerts:
        if not any(proves(case, name) for case in cases):
            yield f"{name} has no test with an instance that fires and one that holds"
    for page, anchor in re.findall(r"docs: ([^#\s]+)(?:#(\S+))?", text):
        if not has_section(root / page, anchor):
            yield f"there is no {page}#{anchor}" if anchor else f"there is no {page}"


def proves(case, alert):
    """Whether a test expects the alert for one instance, and has another that does not raise it."""
    series, _, expectation = case.partition("alert_rule_test:")
    return (
        f"alertname: {alert}\n" in expectation
        and 'instance="fires"' in series
        and 'instance="holds"' in series
        and "instance: fires" in expectation
        and "instance: holds" not in expectation
    )


def has_section(page, anchor):
    if not page.is_file():
        return False
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return not anchor or anchor in anchors


def expressions(dashboard):
    """The expressions of all panels, as text that promtool reads: variables have a value."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"].replace("$__rate_interval", "5m")


def dashboard_problems(dashboard, series):
    panels = dashboard["panels"]
    ids = [panel["id"] for panel in panels]
    for one in sorted({one for one in ids if ids.count(one) > 1}):
        yield f"there are two panels {one}"
    titles = [panel["title"] for panel in panels]
    for title in sorted({title for title in titles if titles.count(title) > 1}):
        yield f"there are two panels {title!r}"
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    for name in sorted({"datasource", "job", "instance"} - set(variables)):
        yield f"there is no variable {name}"
    for variable in variables.values():
        if variable["type"] == "query":
            yield from unknown_names(variable["definition"], series)
    for panel in panels:
        yield from (f"panel {panel['title']!r}: {text}" for text in panel_problems(panel, series))
    yield from overlaps(panels)


def panel_problems(panel, series):
    if panel["type"] == "row":
        return
    if not panel.get("description"):
        yield "no description"
    targets = panel.get("targets", [])
    if not targets:
        yield "no expression"
    if len({target["refId"] for target in targets}) < len(targets):
        yield "two expressions have one refId"
    for target in targets:
        expression = target["expr"]
        yield from unknown_names(expression, series)
        yield from unknown_labels(expression, series)
        for variable in ['job="$job"', 'instance=~"$instance"']:
            if variable not in expression:
                yield f"an expression does not select by {variable}"


def overlaps(panels):
    taken = {}
    for panel in panels:
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                other = taken.setdefault((x, y), panel["title"])
                if other != panel["title"]:
                    yield f"panels {other!r} and {panel['title']!r} overlap"
                    return
        if place["x"] + place["w"] > 24:
            yield f"panel {panel['title']!r} is beyond the 24 columns"


def as_rules(texts):
    lines = ["groups:", "  - name: dashboard", "    rules:"]
    for number, text in enumerate(texts):
        lines += [f"      - record: panel:{number}", f"        expr: {json.dumps(text)}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--expressions", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    series = series_of((ROOT / "docs/reference/metrics.md").read_text())
    rules = (OPS / "prometheus/varde.rules.yml").read_text()
    tests = (OPS / "prometheus/varde.test.yml").read_text()
    dashboard = json.loads((OPS / "grafana/varde.json").read_text())
    problems = [f"varde.rules.yml: {text}" for text in rule_problems(rules, tests, series)]
    problems += [f"varde.json: {text}" for text in dashboard_problems(dashboard, series)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if arguments.expressions:
        arguments.expressions.write_text(as_rules(expressions(dashboard)))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
