#!/usr/bin/env python3
"""Copies the Markdown pages of the repository to where MkDocs reads them: stage.py DIRECTORY

They keep their places, so that links between them hold. Files that a page links to are copied too; a linked
directory without a README.md gets a page that lists its files. The navigation is that of docs/README.md.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!\\)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1", re.DOTALL)
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
NESTED = re.compile(r"^( +)(?=[-*] )")
INDEX = "docs/README.md"
# A browser shows other files as text.
SHOWN = {".json", ".md", ".png", ".svg"}
PROJECT = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]


class DeadLink(Exception):
    pass


def pages() -> list[Path]:
    """Of the repository, without what was built."""
    found = []
    for folder, folders, files in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        found += [Path(folder, name).relative_to(REPOSITORY) for name in files if name.endswith(".md")]
    return sorted(found)


def without_code(text: str) -> str:
    """The text with spaces in the places of code, so that positions stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return CODE.sub(blank, FENCE.sub(blank, text))


def links(text: str) -> list[tuple[int, int, str]]:
    """Begin, end and target of each link to a place of the repository."""
    return [
        (match.start(1), match.end(1), match[1])
        for match in LINK.finditer(without_code(text))
        if not re.match(r"[a-z][a-z0-9+.-]*:|#", match[1])
    ]


def place(page: Path, target: str) -> Path:
    """The place that a link of the page leads to, from the root of the repository."""
    path = os.path.normpath(page.parent / target.partition("#")[0])
    if path.startswith("..") or not (REPOSITORY / path).exists():
        raise DeadLink(f"{page}: no {target}")
    return Path(path)


def listing(folder: Path) -> str:
    names = sorted(path.name for path in (REPOSITORY / folder).iterdir() if path.is_file())
    return f"# {folder}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)


class Stage:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.staged: set[Path] = set()
        self.problems: list[str] = []

    def write(self, path: Path, text: str) -> None:
        self.staged.add(path)
        (self.directory / path).parent.mkdir(parents=True, exist_ok=True)
        (self.directory / path).write_text(text)

    def copy(self, path: Path) -> Path:
        """Its place among the pages."""
        staged = path if path.suffix in SHOWN else path.with_name(f"{path.name}.txt")
        if staged in self.staged:
            return staged
        if path.suffix == ".md":
            self.page(path, (REPOSITORY / path).read_text())
            return staged
        self.staged.add(staged)
        (self.directory / staged).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / path, self.directory / staged)
        return staged

    def page(self, path: Path, text: str) -> None:
        """Stages a page, and everything that it links to."""
        self.staged.add(path)
        parts, end = [], 0
        for begin, stop, target in links(text):
            try:
                linked = place(path, target)
            except DeadLink as problem:
                self.problems.append(str(problem))
                continue
            is_folder = (REPOSITORY / linked).is_dir()
            staged = self.folder(linked) if is_folder else self.copy(linked)
            _, mark, anchor = target.partition("#")
            parts += [text[end:begin], os.path.relpath(staged, path.parent), mark, anchor]
            end = stop
        self.write(path, nested("".join(parts) + text[end:]))

    def folder(self, path: Path) -> Path:
        page = path / "README.md"
        if page not in self.staged:
            exists = (REPOSITORY / page).exists()
            self.page(page, (REPOSITORY / page).read_text() if exists else listing(path))
        return page


def nested(text: str) -> str:
    """The text with lists in lists as Python-Markdown wants them: four spaces for each level."""
    is_code, lines = False, []
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        lines.append(line if is_code else NESTED.sub(lambda match: match[1] * 2, line))
    return "\n".join(lines)


def navigation(index: str) -> list:
    """The sections of the index with the pages that they link to, each page once."""
    sections: list[tuple[str, list[str]]] = []
    seen = {"README.md", INDEX, *PROJECT}
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        found: list[str] = []
        for _, _, target in links(part):
            path = place(Path(INDEX), target)
            page = path / "README.md" if (REPOSITORY / path).is_dir() else path
            if page.suffix == ".md" and str(page) not in seen:
                seen.add(str(page))
                found.append(str(page))
        sections.append((part.partition("\n")[0].partition(":")[0].strip(), found))
    return [
        {"Varde": "README.md"},
        {"Index": INDEX},
        *({title: found} for title, found in sections if found),
        {"Project": PROJECT},
    ]


def main(directory: str) -> None:
    target = Path(directory)
    shutil.rmtree(target, ignore_errors=True)
    stage = Stage(target)
    for page in pages():
        stage.copy(page)
    if stage.problems:
        sys.exit("\n".join(sorted(stage.problems)))
    # JSON is YAML; MkDocs merges it with site/mkdocs.yml.
    nav = navigation((REPOSITORY / INDEX).read_text())
    (target.parent / "navigation.json").write_text(json.dumps({"nav": nav}, indent=2))
    print(f"site: {sum(path.suffix == '.md' for path in stage.staged)} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
