#!/usr/bin/env python3
"""Writes a software bill of materials in CycloneDX 1.6 (JSON).

    licences/sbom.py                     writes .build/varde.cdx.json
    licences/sbom.py --output PATH       writes it elsewhere
    licences/sbom.py --package PATH      of another package's graph

The same commit, toolchain and system libraries give the same file. The timestamp is
SOURCE_DATE_EPOCH, or else the commit's; the serial number is a digest of everything else.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.parse import quote

from components import all_components
from graph import Graph, GraphError
from recognition import LicenceError
from runtime import installed_version, libraries

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / ".build/varde.cdx.json"
VERSION = ROOT / "Sources/Service/HTTPService/Version.swift"
# A name space for the serial numbers, made once.
NAMESPACE = uuid.UUID("d57455ad-7801-465d-9cb5-e58a727e49ac")


def bill(graph, components, runtime):
    """The document, as values for JSON."""
    toolchain = {
        "type": "framework",
        "bom-ref": "swift-toolchain",
        "name": "Swift toolchain",
        "version": toolchain_version(),
        "description": "Its standard library and Foundation are linked statically.",
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
        "components": [
            component(each) for each in components if each.inside == "Swift toolchain"
        ],
    }
    packages = [with_inside(each, components) for each in components if each.package]
    console = [component(each) for each in components if each.inside == "the console"]
    system = [debian(each) for each in runtime]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(),
            "component": {
                "type": "application",
                "bom-ref": "varde",
                "name": "varde",
                "version": version(),
                "licenses": [{"license": {"id": "MIT"}}],
                "properties": properties({"varde:commit": commit("%H")}),
            },
        },
        "components": packages + console + [toolchain] + system,
        "dependencies": dependencies(graph, console + system),
    }
    text = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(NAMESPACE, text)}"
    return document


def with_inside(own, components):
    """A package, with what is inside it."""
    value = component(own)
    inside = [component(each) for each in components if each.inside == own.name]
    return value | ({"components": inside} if inside else {})


def component(each):
    value = {
        "type": "library",
        "bom-ref": reference(each),
        "name": each.name,
        "scope": "required",
        "licenses": [licence(each.licence)],
        "externalReferences": [source(each)],
        "properties": properties({"varde:programs": ", ".join(each.programs)}),
    }
    if each.version:
        value["version"] = each.version
    if each.package:
        value["purl"] = purl(each.package)
    elif each.purl:
        value["purl"] = each.purl
    return value


def reference(each):
    if each.package:
        return purl(each.package)
    return re.sub(r"[^a-z0-9]+", "-", f"{each.inside} {each.name}".lower()).strip("-")


def purl(package):
    return f"pkg:swift/{package.homepage.split('://')[1]}@{package.version}"


def source(each):
    """Where the source is; of a package with the commit, which identifies its content."""
    value = {"type": "vcs", "url": each.homepage}
    if each.package and each.package.revision:
        value["comment"] = "The hash is that of the commit."
        value["hashes"] = [{"alg": "SHA-1", "content": each.package.revision}]
    return value


def debian(library):
    """A system library: named because it is loaded at run time, not contained."""
    value = {
        "type": "library",
        "bom-ref": f"pkg:deb/debian/{library.package}",
        "name": library.package,
        "scope": "required",
        "licenses": [licence(library.licence)],
        "purl": f"pkg:deb/debian/{quote(library.package)}",
        "properties": properties(
            {"varde:linking": "loaded at run time", "varde:files": ", ".join(library.files)}
        ),
    }
    installed = installed_version(library.package)
    if installed:
        number, architecture = installed
        value["version"] = number
        value["purl"] += f"@{quote(number, safe='')}?arch={architecture}"
    return value


def licence(identifier):
    is_one = " " not in identifier and not identifier.startswith("LicenseRef-")
    if is_one:
        return {"license": {"id": identifier}}
    return {"expression": identifier}


def dependencies(graph, others):
    """Which component uses which. The root uses the toolchain and the `others`, too."""
    shipped = {package.identity: package for package in graph.shipped()}

    def uses(identity):
        used = [each for each in graph.packages[identity].uses if each in shipped]
        return sorted(purl(shipped[each]) for each in used)

    own = uses(graph.root) + ["swift-toolchain"] + [each["bom-ref"] for each in others]
    rows = [{"ref": "varde", "dependsOn": own}]
    rows += [{"ref": purl(each), "dependsOn": uses(each.identity)} for each in shipped.values()]
    return rows + [{"ref": "swift-toolchain"}] + [{"ref": each["bom-ref"]} for each in others]


def properties(values):
    return [{"name": name, "value": value} for name, value in values.items() if value]


def version():
    """The version that the programs report; `make lint` compares it with CHANGELOG.md."""
    match = re.search(r'text = "([^"]+)"', VERSION.read_text())
    if not match:
        raise GraphError(f"{VERSION}: no version")
    return match[1]


def toolchain_version():
    command = [os.environ.get("SWIFT", "swift"), "--version"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = re.search(r"Swift version (\S+)", output)
    if not match:
        raise GraphError(f"no version in the output of {' '.join(command)}: {output!r}")
    return match[1]


def timestamp():
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or commit("%ct")
    if not seconds:
        raise GraphError("no commit to take the time from: set SOURCE_DATE_EPOCH")
    moment = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def commit(what):
    """A property of the commit; None outside of a git repository, such as in a source archive."""
    command = ["git", "-C", str(ROOT), "log", "-1", f"--format={what}"]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return result.stdout.strip() or None if result.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description="Writes an SBOM in CycloneDX 1.6.")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--package", type=Path, default=ROOT, help="the package with the graph")
    arguments = parser.parse_args()
    try:
        graph = Graph(arguments.package)
        document = bill(graph, all_components(graph.shipped()), libraries())
    except (LicenceError, GraphError) as error:
        sys.exit(f"sbom: {error}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    print(f"sbom: {arguments.output}: {len(document['components'])} components")


if __name__ == "__main__":
    main()
