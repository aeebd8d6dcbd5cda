"""The packages whose code the shipped programs contain, read from SwiftPM."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SHIPPED = ("varde", "varde-load")

# Targets that run only while something is built or tested.
NOT_LINKED = {"plugin", "macro", "test"}


@dataclass
class Package:
    identity: str
    version: str
    homepage: str
    path: Path
    revision: str | None = None
    # Identities of the packages that it uses.
    uses: list[str] = field(default_factory=list)
    # The folders of its linked targets, and the programs that contain it.
    folders: set[Path] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)


class GraphError(Exception):
    pass


class Graph:
    """The resolved packages of a root package, by identity.

    `root` are the folders of the package itself. A dependency under a trait counts if SwiftPM has
    resolved its package: that is at worst a package too many.
    """

    def __init__(self, root):
        command = ["package", "--package-path", str(root), "show-dependencies"]
        tree = swift(*command, "--format", "json")
        self.root = tree["identity"]
        self.packages = {}
        self.manifests = {}
        self._read(tree)
        revisions = self._revisions(root)
        for identity, package in self.packages.items():
            package.revision = revisions.get(identity)
            self.manifests[identity] = self._manifest(package.path)
        for program in SHIPPED:
            self._reach(program)

    def shipped(self):
        """The packages that a shipped program contains, without the root, by identity."""
        return [
            package
            for identity, package in sorted(self.packages.items())
            if package.programs and identity != self.root
        ]

    def _read(self, node):
        identity = node["identity"]
        if identity not in self.packages:
            self.packages[identity] = Package(
                identity=identity,
                version=node["version"],
                homepage=node["url"].removesuffix(".git"),
                path=Path(node["path"]),
                uses=sorted(each["identity"] for each in node["dependencies"]),
            )
        for each in node["dependencies"]:
            self._read(each)

    @staticmethod
    def _revisions(root):
        state = json.loads((Path(root) / ".build/workspace-state.json").read_text())
        return {
            each["packageRef"]["identity"]: each["state"].get("checkoutState", {}).get("revision")
            for each in state["object"]["dependencies"]
        }

    @staticmethod
    def _manifest(path):
        with tempfile.TemporaryDirectory() as scratch:
            return swift(
                "package", "--package-path", str(path), "--scratch-path", scratch, "dump-package"
            )

    def _reach(self, program):
        """Marks every target that the program contains."""
        waiting = self._product(self.root, program)
        if not waiting:
            raise GraphError(f"{self.root} has no product {program}")
        seen = set()
        while waiting:
            identity, name = waiting.pop()
            if (identity, name) in seen:
                continue
            seen.add((identity, name))
            target = self._targets(identity)[name]
            if target["type"] in NOT_LINKED:
                continue
            package = self.packages[identity]
            package.programs.add(program)
            package.folders.add(self._folder(package, target))
            for dependency in target["dependencies"]:
                waiting += self._resolve(identity, dependency)

    def _targets(self, identity):
        return {target["name"]: target for target in self.manifests[identity]["targets"]}

    def _product(self, identity, name):
        for product in self.manifests[identity]["products"]:
            if product["name"] == name:
                return [(identity, target) for target in product["targets"]]
        return []

    def _resolve(self, identity, dependency):
        """The targets behind a dependency: none if it is not for Linux, or SwiftPM left it out."""
        [(kind, values)] = dependency.items()
        condition = values[-1] or {}
        platforms = condition.get("platformNames") or []
        if platforms and "linux" not in platforms:
            return []
        name = values[0]
        if kind in ("target", "byName") and name in self._targets(identity):
            return [(identity, name)]
        found = []
        for other in self.packages[identity].uses:
            if kind == "product" and not self._is(other, values[1]):
                continue
            found += self._product(other, name)
        return found

    def _is(self, identity, reference):
        if reference is None:
            return True
        names = {identity, self.manifests[identity]["name"].lower()}
        return reference.lower() in names

    @staticmethod
    def _folder(package, target):
        if target.get("path"):
            return package.path / target["path"]
        return package.path / "Sources" / target["name"]


def swift(*arguments):
    """What a swift command prints as JSON."""
    command = [os.environ.get("SWIFT", "swift"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise GraphError(f"{' '.join(command)}: {result.stderr.strip()}")
    return json.loads(result.stdout[result.stdout.index("{") :])
