"""Prints the test targets that use no lock, a line each: swift package dump-package | Tests/pure-targets.py

Code that shares values between threads uses the module Locking. A test target that does not depend on it, directly or
through another target, has no task that blocks a thread until another task has run. PubSub locks a table only to look
something up, so targets that use only PubSub are among these.
"""

import json
import sys

LOCK = "Locking"
BRIEF = {"PubSub"}

targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}


def used(name):
    """The names of the target and of all that it uses, directly or not."""
    found, waiting = set(), [name]
    while waiting:
        next_name = waiting.pop()
        if next_name in found or next_name not in targets:
            continue
        found.add(next_name)
        if next_name in BRIEF:
            continue
        for dependency in targets[next_name]["dependencies"]:
            waiting.append((dependency.get("byName") or dependency.get("target") or [None])[0])
    return found


if LOCK not in targets:
    sys.exit(f"no target {LOCK}")
for name, target in sorted(targets.items()):
    if target["type"] == "test" and LOCK not in used(name):
        print(name)
