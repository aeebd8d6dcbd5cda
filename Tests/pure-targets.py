"""Prints the test targets that use no lock for long, a line each: swift package dump-package | Tests/pure-targets.py

Code that shares values between threads uses the store or the event loops. A test target that depends on neither,
directly or through another target, has no task that blocks a thread until another task has run. The modules below them
lock a table only to look something up; those that wait are tested by BaseTests.
"""

import json
import sys

WAITING = {"Reactor", "Store"}
OTHERS = {"BaseTests"}

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}


def used(name):
    """The names of the target and of all that it uses, directly or not."""
    found, waiting = set(), [name]
    while waiting:
        next_name = waiting.pop()
        if next_name in found or next_name not in targets:
            continue
        found.add(next_name)
        for dependency in targets[next_name]["dependencies"]:
            waiting.append((dependency.get("byName") or dependency.get("target") or [None])[0])
    return found


for name in sorted(WAITING | OTHERS):
    if name not in targets:
        sys.exit(f"no target {name}")
for name, target in sorted(targets.items()):
    if target["type"] == "test" and name not in OTHERS and not WAITING & used(name):
        print(name)
