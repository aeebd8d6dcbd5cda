"""Reads a callgrind profile and tells what one delivery took.

    instructions.py PROFILE DELIVERIES SUBSCRIBERS
"""

import re
import subprocess
import sys

COUNTED = {
    "send": "`send`",
    "malloc": "allocations (`malloc`)",
    "swift_retain": "retains",
    "swift_release": "releases",
    "swift_beginAccess": "exclusivity checks",
}
NAMED = re.compile(r"\((\d+)\)(?: (.*))?$")


def main(path, deliveries, subscribers):
    own, calls = read(path)
    publications = deliveries / subscribers
    total = sum(own.values())
    print(f"{deliveries} deliveries of {publications:.0f} publications, {subscribers} each\n")
    print("| for each | delivery | publication |\n| --- | --- | --- |")
    print(f"| instructions in user space | {total / deliveries:.0f} | {total / publications:.0f} |")
    for function, text in COUNTED.items():
        count = calls.get(function, 0)
        print(f"| {text} | {count / deliveries:.3f} | {count / publications:.0f} |")
    print("\n| instructions for each delivery | in |\n| --- | --- |")
    largest = sorted(own, key=own.get, reverse=True)[:8]
    for function in largest:
        print(f"| {own[function] / deliveries:.0f} | `{demangled(function)}` |")


def read(path):
    """Functions by number, their own instructions, and how often each was called."""
    names, own, calls = {}, {}, {}
    function = called = None
    skips_cost = False
    with open(path) as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("fn="):
                function = name(line[3:], names)
            elif line.startswith("cfn="):
                called = name(line[4:], names)
            elif line.startswith("calls="):
                calls[called] = calls.get(called, 0) + int(line[6:].split()[0])
                # The line that follows is the cost of the callee.
                skips_cost = True
            elif line and (line[0].isdigit() or line[0] in "+-*"):
                if not skips_cost and function:
                    own[function] = own.get(function, 0) + int(line.split()[1])
                skips_cost = False
    return own, calls


def name(text, names):
    number, spelled = NAMED.match(text).groups()
    if spelled:
        names[number] = spelled
    return names[number]


def demangled(function):
    if not function.startswith("$s"):
        return function
    result = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact", function], capture_output=True, text=True
    )
    return result.stdout.strip() or function


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
