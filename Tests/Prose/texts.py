"""Splits Markdown, JSON descriptions and Swift sources into sentences with their lines."""

import bisect
import json
import re
from dataclasses import dataclass

from patterns import COLUMNS


@dataclass(frozen=True)
class Sentence:
    text: str
    line: int
    # prose, title or cell in Markdown; elsewhere prose
    kind: str = "prose"

    @property
    def is_phrase(self):
        """Titles are phrases; so is a cell of a table or a text that is no complete sentence."""
        if self.kind == "title":
            return True
        return not re.search(r"[.:;!?)]$", self.text.strip())

    @property
    def words(self):
        return len(re.findall(r"[\w'’-]*\w", self.text))


FENCE = re.compile(r"^\s*(```+|~~~+)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\] )?")
TITLE = re.compile(r"^#{1,6}\s+")
RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
END = re.compile(r"(?<=[.!?])[)\"”]?\s+(?=[A-Z(\"“`]|CODE)")
# These end with a point and no sentence does.
SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|no|resp|St|approx)\.|\b[A-Z]\.)$")


def plain(text):
    """Markdown without code, links, emphasis and comments. The text keeps its lines."""
    text = re.sub(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", "CODE", text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"<https?://[^>]*>|https?://\S+", "CODE", text)
    text = re.sub(r"</?[a-zA-Z][^>]*>", "", text)
    return re.sub(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


def split(text, line, kind="prose"):
    """The sentences of a text that begins in a line; each line break in it counts."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    start = 0
    ends = [match for match in END.finditer(text)]
    for position, upto in [(m.end(), m.start()) for m in ends] + [(len(text), len(text))]:
        piece = text[start:upto]
        if upto < len(text) and SHORT.search(piece):
            continue
        stripped = piece.strip()
        if stripped:
            first = start + len(piece) - len(piece.lstrip())
            yield Sentence(
                " ".join(stripped.split()), line + bisect.bisect_left(breaks, first), kind
            )
        start = position


def blocks(source):
    """Paragraphs, items, titles and cells: (text, first line, kind). Code is left out."""
    paragraph, first = [], 0
    fence = None
    previous_blank = True

    def done():
        nonlocal paragraph
        if paragraph:
            yield "\n".join(paragraph), first, "prose"
        paragraph = []

    for number, line in enumerate(source.split("\n"), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            continue
        if mark:
            yield from done()
            fence = mark[1]
        elif not line.strip():
            yield from done()
        elif previous_blank and not paragraph and re.match(r" {4}|\t", line):
            # Indented code; a paragraph of a list item is rare here and not worth its rules.
            continue
        elif TITLE.match(line):
            yield from done()
            yield TITLE.sub("", line), number, "title"
        elif line.lstrip().startswith("|"):
            yield from done()
            if not RULE.match(line):
                for cell in plain(line.replace("\\|", " ")).strip().strip("|").split("|"):
                    yield cell, number, "cell"
        else:
            if ITEM.match(line):
                yield from done()
                line = ITEM.sub("", line)
            if not paragraph:
                first = number
            paragraph.append(line)
        previous_blank = not line.strip()
    yield from done()


def markdown(source):
    source = re.sub(r"<!--.*?-->", lambda match: "\n" * match[0].count("\n"), source, flags=re.S)
    for text, line, kind in blocks(source):
        yield from split(text if kind == "cell" else plain(text), line, kind)


def long_lines(source):
    """The numbers of lines that are too long and could be wrapped."""
    fence = None
    for number, line in enumerate(source.split("\n"), 1):
        mark = FENCE.match(line)
        if mark:
            fence = None if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and len(line) > COLUMNS and not line.lstrip().startswith("|"):
            if not re.match(r"^ {4}|^\[[^\]]*\]: |^\s*\S+$", line):
                yield number


DESCRIPTION = re.compile(r'"(?:description|summary|title)"\s*:\s*"((?:[^"\\]|\\.)*)"')


def descriptions(source):
    """The descriptions, summaries and titles of an OpenAPI document or a JSON Schema."""
    for match in DESCRIPTION.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        text = json.loads(f'"{match[1]}"')
        for sentence in split(plain(text).replace("\n", " "), line):
            yield sentence


# In this order: a comment in a literal is text, a quote in a comment is none of a literal.
SWIFT = re.compile(
    r'(?P<block>/\*.*?\*/)|(?P<doc>///[^\n]*)|(?P<comment>//[^\n]*)'
    r'|#*"""(?P<long>.*?)"""|"(?P<short>(?:[^"\\\n]|\\.)*)"',
    re.S,
)


def swift(source):
    """Sentences by class: literals, doc comments and other comments."""
    found = {"literals": [], "doc comments": [], "comments": []}
    run, run_kind, run_first, run_last = [], None, 0, -1

    def flush():
        if run:
            found[run_kind].extend(split(plain("\n".join(run)), run_first))
        run.clear()

    for match in SWIFT.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        if match["doc"] or match["comment"]:
            kind = "doc comments" if match["doc"] else "comments"
            if kind != run_kind or line != run_last + 1:
                flush()
                run_kind, run_first = kind, line
            run.append(match[0].lstrip("/").strip())
            run_last = line
            continue
        text = match["long"] or match["short"] or ""
        # A text of fewer than three words is a name, a key or a unit.
        text = re.sub(r"\\\([^()]*(?:\([^()]*\)[^()]*)*\)", "CODE", text)
        text = re.sub(r"\\\n", " \n", text).replace("\\n", " ")
        if len(text.split()) >= 3:
            found["literals"].extend(split(plain(text), line))
    flush()
    return found
