#!/usr/bin/env python3
"""Counts the patterns of unclear English in Markdown, JSON descriptions and Swift sources.

    prose.py                      counts by pattern and class, and the median sentence length
    prose.py --each               the same for each Markdown page
    prose.py --check              fails for a new hit; see baseline.json
    prose.py --lower              lowers the numbers of baseline.json to those of today
    prose.py --compare REV        counts at a revision and now
    prose.py --pages N --seed S   N Markdown pages at random, with their hits
    prose.py --show PATTERN       every hit of one pattern

A page without an entry in baseline.json must have no hit. A number in it may only fall.
"""

import argparse
import io
import json
import random
import statistics
import subprocess
import sys
import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import texts
from patterns import LONG, NAMES, PATTERNS, WRITE

ROOT = Path(__file__).resolve().parents[2]
BASELINE = Path(__file__).parent / "baseline.json"
CLASSES = ["markdown", "JSON descriptions", "Swift literals", "Swift doc comments", "Swift comments"]


@dataclass(frozen=True)
class Hit:
    path: str
    line: int
    pattern: str
    found: str


def kind(path):
    """Whether a file is Markdown, a JSON description, Swift or none of them."""
    if path.endswith(".md"):
        return "markdown"
    if path.endswith(".json") and path.startswith(("protocol/openapi/", "protocol/schemas/")):
        return "json"
    if path.endswith(".swift") and path.startswith("Sources/") and ".pb." not in path:
        return "swift"
    return None


def of_tree():
    """The files under version control, and those that are not ignored: path and text."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    for path in sorted(set(listed.split("\0"))):
        if kind(path) and (ROOT / path).is_file():
            yield path, (ROOT / path).read_text()


def of_revision(revision):
    archive = subprocess.run(
        ["git", "archive", "--format=tar", revision], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and kind(member.name):
                yield member.name, tar.extractfile(member).read().decode()


def sentences(path, text):
    """The sentences of a file by class."""
    if kind(path) == "markdown":
        return {"markdown": list(texts.markdown(text))}
    if kind(path) == "json":
        return {"JSON descriptions": list(texts.descriptions(text))}
    return {f"Swift {name}": found for name, found in texts.swift(text).items()}


def hits_in(path, found):
    for sentence in found:
        for pattern in PATTERNS:
            for match in pattern.matches(sentence):
                start = max(0, match.start() - 25)
                yield Hit(path, sentence.line, pattern.name, sentence.text[start : match.end() + 25])


class Report:
    """Hits and sentence lengths of a tree."""

    def __init__(self, files):
        self.hits = {name: [] for name in CLASSES}
        self.lengths = {name: [] for name in CLASSES}
        self.pages = {}
        for path, text in files:
            for name, found in sentences(path, text).items():
                hits = list(hits_in(path, found))
                if name == "markdown":
                    hits += [Hit(path, line, LONG, "") for line in texts.long_lines(text)]
                lengths = [each.words for each in found if each.kind == "prose" and each.words]
                self.hits[name] += hits
                self.lengths[name] += lengths
                if name == "markdown":
                    self.pages[path] = (hits, lengths)

    def count(self, name, pattern):
        return sum(hit.pattern == pattern for hit in self.hits[name])

    def counts(self):
        """The numbers that baseline.json holds: by page in Markdown, by class elsewhere."""
        table = {
            path: dict(sorted(Counter(hit.pattern for hit in hits).items()))
            for path, (hits, _) in sorted(self.pages.items())
            if hits
        }
        for name in CLASSES[1:]:
            table[name] = dict(sorted(Counter(hit.pattern for hit in self.hits[name]).items()))
        return table


def median(lengths):
    return statistics.median(lengths) if lengths else 0


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(report, before=None):
    """Counts as a Markdown table; with `before`, each cell has both numbers."""

    def cell(of):
        return f"{of(before)} → {of(report)}" if before else str(of(report))

    print(row(["pattern", *CLASSES]))
    print(row(["---"] * (len(CLASSES) + 1)))
    for pattern in NAMES:
        print(row([pattern, *(cell(lambda r, c=c, p=pattern: r.count(c, p)) for c in CLASSES)]))
    print(row(["all", *(cell(lambda r, c=c: len(r.hits[c])) for c in CLASSES)]))
    print(row(["sentences", *(cell(lambda r, c=c: len(r.lengths[c])) for c in CLASSES)]))
    print(row(["median words", *(cell(lambda r, c=c: median(r.lengths[c])) for c in CLASSES)]))


def pages(report, before=None):
    print(row(["page", "hits", "sentences", "median words"]))
    print(row(["---"] * 4))
    for path, (hits, lengths) in sorted(report.pages.items()):
        old = before and before.pages.get(path)
        cells = [(len(h), len(s), median(s)) for h, s in ([old] if old else []) + [(hits, lengths)]]
        print(row([path, *(" → ".join(str(value) for value in each) for each in zip(*cells))]))


def show(hits):
    for hit in sorted(hits, key=lambda hit: (hit.path, hit.line)):
        found = f" in “{hit.found}”" if hit.found else ""
        print(f"{hit.path}:{hit.line}: {hit.pattern}{found}; write: {WRITE[hit.pattern]}")


def rises(counts, baseline):
    """(file or class, pattern, allowed number) of every number that is above the baseline's."""
    for key, found in counts.items():
        for pattern, number in found.items():
            allowed = baseline.get(key, {}).get(pattern, 0)
            if number > allowed:
                yield key, pattern, allowed


def check(report, baseline):
    failed = list(rises(report.counts(), baseline))
    for key, pattern, allowed in failed:
        group = report.pages[key][0] if key in report.pages else report.hits[key]
        hits = [hit for hit in group if hit.pattern == pattern]
        if allowed:
            print(f"{key}: {pattern}: {len(hits)} hits, at most {allowed} are allowed:")
        show(hits)
    if failed:
        print("Tests/Prose: rewrite these sentences: CONTRIBUTING.md, Plain English", file=sys.stderr)
    return 1 if failed else 0


def lowered(counts, baseline):
    """The baseline with every number that has fallen; nothing is added to it."""
    table = {}
    for key, allowed in baseline.items():
        found = counts.get(key, {})
        kept = {name: min(number, found.get(name, 0)) for name, number in allowed.items()}
        table[key] = {name: number for name, number in kept.items() if number}
    return {key: value for key, value in table.items() if value}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--compare", metavar="REV")
    parser.add_argument("--show", metavar="PATTERN", choices=NAMES)
    parser.add_argument("--pages", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("paths", nargs="*", help="only these files")
    options = parser.parse_args()

    files = [f for f in of_tree() if not options.paths or f[0] in options.paths]
    report = Report(files)
    if options.check:
        return check(report, json.loads(BASELINE.read_text()))
    if options.lower:
        baseline = lowered(report.counts(), json.loads(BASELINE.read_text()))
        BASELINE.write_text(json.dumps(baseline, indent=1) + "\n")
    elif options.show:
        show([hit for hits in report.hits.values() for hit in hits if hit.pattern == options.show])
    elif options.pages:
        chosen = random.Random(options.seed).sample(sorted(report.pages), options.pages)
        for path in chosen:
            hits, lengths = report.pages[path]
            print(f"{path}: {len(hits)} hits, median {median(lengths)} words")
            show(hits)
        return 1 if any(report.pages[path][0] for path in chosen) else 0
    elif options.paths:
        show([hit for hits in report.hits.values() for hit in hits])
        pages(report)
    else:
        before = Report(of_revision(options.compare)) if options.compare else None
        table(report, before)
        if options.each or options.compare:
            print()
            pages(report, before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
