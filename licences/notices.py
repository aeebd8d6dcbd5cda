#!/usr/bin/env python3
"""Writes THIRD-PARTY-NOTICES, or checks that it is what the packages give.

    licences/notices.py                  writes it
    licences/notices.py --check          fails with the difference if it is another
    licences/notices.py --package PATH   of another package's graph
"""

import argparse
import difflib
import sys
from pathlib import Path

from components import all_components
from graph import Graph, GraphError
from recognition import LicenceError, normalised
from runtime import libraries

ROOT = Path(__file__).parent.parent
NOTICES = ROOT / "THIRD-PARTY-NOTICES"
RULE = "=" * 78

HEAD = """\
Third-party software in Varde

The programs varde and varde-load contain the components below. Varde itself
is under the MIT licence: see LICENSE. `make notices` writes this file from the
packages; `varde licenses` prints it.
"""

RUNTIME_HEAD = """\
Loaded at run time, not contained

The programs load these libraries of the system, which have their own
distribution and licences (on Debian: /usr/share/doc/PACKAGE/copyright):
"""


def notices(components, runtime):
    """The whole text. A licence text that several components share is printed once."""
    texts = {}
    for component in components:
        texts.setdefault(normalised(component.text), (len(texts) + 1, component.text))
    parts = [HEAD]
    parts += [entry(each, texts[normalised(each.text)][0]) for each in components]
    parts.append(RUNTIME_HEAD + "\n" + "".join(library(each) for each in runtime))
    for number, text in texts.values():
        names = [
            component.name
            for component in components
            if texts[normalised(component.text)][0] == number
        ]
        parts.append(f"Licence text {number}: {', '.join(names)}\n\n{tidy(text)}")
    return f"\n{RULE}\n".join(parts)


def entry(component, number):
    lines = [component.name]
    lines += [f"  version   {component.version}"] if component.version else []
    lines += [f"  inside    {component.inside}"] if component.inside else []
    lines += [
        f"  home page {component.homepage}",
        f"  licence   {component.licence} (text {number})",
        f"  in        {', '.join(component.programs)}",
    ]
    text = "\n".join(lines) + "\n"
    return text if component.notice is None else f"{text}\nNotice:\n\n{tidy(component.notice)}"


def library(each):
    return f"  {each.package:<14}{', '.join(each.files)} ({each.licence})\n"


def tidy(text):
    """The text without spaces at the ends of lines, and without empty lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description="Writes THIRD-PARTY-NOTICES.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--package", type=Path, default=ROOT, help="the package with the graph")
    arguments = parser.parse_args()
    try:
        text = notices(all_components(Graph(arguments.package).shipped()), libraries())
    except (LicenceError, GraphError) as error:
        sys.exit(f"notices: {error}")
    if not arguments.check:
        NOTICES.write_text(text)
        return
    old = NOTICES.read_text() if NOTICES.exists() else ""
    if old != text:
        difference = difflib.unified_diff(
            old.splitlines(), text.splitlines(), "THIRD-PARTY-NOTICES", "packages", lineterm="", n=1
        )
        print("\n".join(list(difference)[:60]), file=sys.stderr)
        sys.exit("notices: THIRD-PARTY-NOTICES is out of date: run 'make notices'")


if __name__ == "__main__":
    main()
