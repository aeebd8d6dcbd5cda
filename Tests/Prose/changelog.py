#!/usr/bin/env python3
"""Checks CHANGELOG.md: the form of Keep a Changelog 1.1.0, its dates, and its newest version.

    changelog.py    prints each problem with its line, and fails if there is one

The newest version with a date must be that of Version.swift.
"""

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = "CHANGELOG.md"
VERSION = "Sources/Service/HTTPService/Version.swift"
SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
BREAKING = "- **Breaking:**"
# The sections that can have breaking entries.
BREAKING_SECTIONS = {"Changed", "Removed"}

HEADING = re.compile(r"(#+)\s*(.*)")
RELEASE = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def day(text):
    """The date, or none if the calendar does not have it."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


class Checker:
    def __init__(self):
        self.problems = []
        self.titles = 0
        # Versions and dates of the releases so far, the newest first.
        self.releases = []
        self.has_unreleased = False
        # The sections of the current release, and whether the last one has a compatible entry.
        self.sections = []
        self.has_compatible = False
        self.in_release = False

    def report(self, line, problem):
        self.problems.append((line, problem))

    def heading(self, line, level, title):
        if level == 1:
            self.titles += 1
            if title != "Changelog" or self.titles > 1:
                self.report(line, f"title {title!r}; expected one title, 'Changelog'")
        elif level == 2:
            self.release(line, title)
        elif level == 3:
            self.section(line, title)
        else:
            self.report(line, f"heading of level {level}; expected 1 to 3")

    def release(self, line, title):
        self.sections, self.in_release = [], True
        if title == "[Unreleased]":
            if self.has_unreleased or self.releases:
                self.report(line, "'[Unreleased]' must be the first version")
            self.has_unreleased = True
            return
        if not self.has_unreleased and not self.releases:
            self.report(line, f"version {title!r} before '[Unreleased]'")
        match = RELEASE.fullmatch(title)
        if not match:
            self.report(line, f"version {title!r}; expected '[1.2.3] - YYYY-MM-DD'")
            return
        version, date = match[1], day(match[2])
        if date is None:
            self.report(line, f"date {match[2]!r} does not exist")
        if self.releases:
            above, date_above = self.releases[-1]
            if numbers(version) >= numbers(above):
                self.report(line, f"version {version} below {above}; versions must descend")
            if date and date_above and date > date_above:
                self.report(line, f"date {date} below {date_above}; dates must descend")
        self.releases.append((version, date))

    def section(self, line, title):
        if not self.in_release:
            self.report(line, f"section {title!r} before the first version")
        if title not in SECTIONS:
            self.report(line, f"section {title!r}; expected one of {', '.join(SECTIONS)}")
        elif title in self.sections:
            self.report(line, f"section {title!r} twice in one version")
        elif set(self.sections) & set(SECTIONS[SECTIONS.index(title):]):
            self.report(line, f"section {title!r} too late; expected order: {', '.join(SECTIONS)}")
        self.sections.append(title)
        self.has_compatible = False

    def entry(self, line, text):
        if not self.sections:
            self.report(line, "entry outside of a section")
        elif not text.startswith(BREAKING):
            self.has_compatible = True
        elif self.sections[-1] not in BREAKING_SECTIONS:
            self.report(line, f"breaking entry in {self.sections[-1]!r}; expected Changed or Removed")
        elif self.has_compatible:
            self.report(line, "breaking entry after others; expected first in its section")


def check(changelog, version):
    """The problems of a changelog's text, with their lines, for the version of the program."""
    checker = Checker()
    for line, text in enumerate(changelog.splitlines(), 1):
        if match := HEADING.match(text):
            checker.heading(line, len(match[1]), match[2])
        elif text.startswith("- "):
            checker.entry(line, text)
    if not checker.titles:
        checker.report(1, "no title; expected '# Changelog'")
    newest = checker.releases[0][0] if checker.releases else None
    if newest != version:
        checker.report(1, f"the newest version is {newest}; Version.text is {version}")
    return checker.problems


def version_text(source):
    """The version in the text of Version.swift."""
    match = re.search(r'text = "([^"]+)"', source)
    return match[1] if match else None


def main():
    version = version_text((ROOT / VERSION).read_text())
    problems = check((ROOT / CHANGELOG).read_text(), version)
    for line, problem in problems:
        print(f"{CHANGELOG}:{line}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
