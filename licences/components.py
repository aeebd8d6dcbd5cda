"""Everything that the programs contain: packages, code inside them, the console's, the toolchain."""

import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import exceptions
from graph import SHIPPED, Package
from recognition import LicenceError, recognise

TEXTS = Path(__file__).parent / "texts"
LICENCE_FILE = re.compile(r"(licen[cs]e|copying)(\.(txt|md))?", re.IGNORECASE)
NOTICE_FILE = re.compile(r"notice(\.(txt|md))?", re.IGNORECASE)
C_SOURCE = {".c", ".cc", ".cpp", ".m", ".mm", ".s", ".S"}
SOURCE = C_SOURCE | {".swift", ".h"}
COPYRIGHT = re.compile(
    r"Copyright\s+(?:\(c\)\s*|©\s*)?[\d\s,–-]*\s*(?:by\s+)?(\S.*)", re.IGNORECASE
)
YEAR = re.compile(r"copyright.*\d{4}", re.IGNORECASE)


@dataclass
class Component:
    name: str
    licence: str
    text: str
    homepage: str
    version: str | None = None
    notice: str | None = None
    programs: list[str] = field(default_factory=list)
    # The name of the component that contains this one.
    inside: str | None = None
    # Of packages only.
    package: Package | None = None
    purl: str | None = None


def all_components(packages):
    """The components of every package, then those of the toolchain. Raises `LicenceError`."""
    inside = [each for package in packages for each in of_package(package)]
    return inside + of_console() + of_toolchain()


def of_package(package):
    files = [path for path in sorted(package.path.iterdir()) if path.is_file()]
    licences = [path for path in files if LICENCE_FILE.fullmatch(path.name)]
    if len(licences) != 1:
        names = ", ".join(path.name for path in licences) or "none"
        raise LicenceError(f"{package.identity}: expected one licence file, found {names}")
    text = licences[0].read_text()
    notices = [path.read_text() for path in files if NOTICE_FILE.fullmatch(path.name)]
    own = Component(
        name=package.path.name,
        version=package.version,
        homepage=package.homepage,
        licence=recognise(text, of=package.identity),
        text=text,
        notice="\n".join(notices) or None,
        programs=sorted(package.programs),
        package=package,
    )
    entries = exceptions.INSIDE.get(package.identity, [])
    require_accounted(package, text, entries)
    return [own] + [of_entry(entry, own) for entry in entries]


def of_entry(entry, own):
    """A component inside a package."""
    path = own.package.path
    if "text" in entry:
        text = (TEXTS / entry["text"]).read_text()
    elif "comment" in entry:
        text = comment((path / entry["comment"]).read_text(), entry["begins"])
    elif "file" in entry:
        text = (path / entry["file"]).read_text()
    else:
        text = toolchain_licence()
    return Component(
        name=entry["name"],
        homepage=entry["homepage"],
        licence=recognise(text, of=entry["name"]),
        text=text,
        programs=own.programs,
        inside=own.name,
        purl=entry.get("purl"),
    )


def of_console():
    """The files of others that the console uses."""
    components = []
    for entry in exceptions.CONSOLE:
        text = (TEXTS / entry["text"]).read_text()
        components.append(
            Component(
                name=entry["name"],
                version=entry["version"],
                homepage=entry["homepage"],
                licence=recognise(text, of=entry["name"]),
                text=text,
                programs=["varde"],
                inside="the console",
                purl=entry["purl"],
            )
        )
    return components


def of_toolchain():
    components = []
    for entry in exceptions.TOOLCHAIN:
        text = (TEXTS / entry["text"]).read_text() if "text" in entry else toolchain_licence()
        notice = (TEXTS / entry["notice"]).read_text() if "notice" in entry else None
        components.append(
            Component(
                name=entry["name"],
                homepage=entry["homepage"],
                licence=entry.get("licence") or recognise(text, of=entry["name"]),
                text=text,
                notice=notice,
                programs=list(SHIPPED),
                inside="Swift toolchain",
            )
        )
    return components


def toolchain_licence():
    swift = shutil.which(os.environ.get("SWIFT", "swift"))
    if not swift:
        raise LicenceError("Swift toolchain: no swift command")
    path = Path(swift).resolve().parent.parent / "share/swift/LICENSE.txt"
    if not path.is_file():
        raise LicenceError(f"Swift toolchain: no licence file {path}")
    return path.read_text()


def comment(text, begins):
    """The lines of a comment from the one that begins so, without the comment marks."""
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if begins in line]
    if not starts:
        raise LicenceError(f"no line with {begins!r}")
    found = []
    for line in lines[starts[0] :]:
        if not line.startswith("//"):
            break
        found.append(line.removeprefix("//").removeprefix(" "))
    return "\n".join(found)


def require_accounted(package, licence, entries):
    """Fails if the linked targets have code of others that exceptions.py does not list.

    Signs of such code are C sources, a licence file in a subfolder, and a copyright line of another
    holder than the package's own: the one in its licence file, or else the one in most of its
    files.
    """
    known = [package.path / entry["directory"] for entry in entries if "directory" in entry]
    known += [
        package.path / folder for name, folder in exceptions.OWN_C if name == package.identity
    ]
    holders = Counter()
    for path in sources(package):
        if any(folder in path.parents for folder in known):
            continue
        where = f"{package.identity}: {path.relative_to(package.path)}"
        if path.suffix in C_SOURCE or LICENCE_FILE.fullmatch(path.name):
            raise LicenceError(f"{where} may be code of others: see exceptions.py")
        holders.update(set(holders_in(path.read_text())))
    own = set(holders_in(licence)) or {holder for holder, _ in holders.most_common(1)}
    own |= set(exceptions.OWN_HOLDERS.get(package.identity, []))
    for holder in sorted(set(holders) - own):
        if not any(entry.get("holder", "\0") in holder for entry in entries):
            raise LicenceError(f"{package.identity}: code of {holder!r}: see exceptions.py")


def sources(package):
    for folder in sorted(package.folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and (path.suffix in SOURCE or LICENCE_FILE.fullmatch(path.name)):
                yield path


def holders_in(text):
    """The copyright holders that a text names. A line without a year is not a copyright line."""
    for line in text.split("\n"):
        match = COPYRIGHT.search(line)
        if match and YEAR.search(line):
            yield re.sub(r"\.?\s*(All rights reserved\.?)?\s*(\*/)?$", "", match[1].strip())
