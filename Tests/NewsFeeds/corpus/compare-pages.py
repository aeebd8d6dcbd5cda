#!/usr/bin/env python3
"""Compares the main texts that trafilatura finds with those that the reader of web pages finds.

    python3 -m venv venv && venv/bin/pip install trafilatura lxml_html_clean
    venv/bin/python Tests/NewsFeeds/corpus/compare-pages.py

The texts in pages/*.txt are the reader's: WebPageTests.pageIsReadWhole compares them in full. They are also what a
person would call the text of each page, but for the heading in font-elements. So the F1 of the words of trafilatura
shows on which pages the two differ, and not how good either is on the pages of the web.
"""
import collections
import pathlib
import re

import trafilatura

PAGES = pathlib.Path(__file__).parent / "pages"


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def f1(found, expected):
    """Of the words, each as often as it occurs; 1 for two empty texts."""
    found, expected = words(found), words(expected)
    count = found.total() + expected.total()
    return 2 * (found & expected).total() / count if count else 1.0


def expected(path):
    """What follows the first empty line; fields of the page are before it."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return "\n".join(lines[lines.index("") + 1:])


def main():
    scores = []
    for page in sorted(PAGES.glob("*.html")):
        found = trafilatura.extract(page.read_bytes(), include_comments=False) or ""
        scores.append(f1(found, expected(page.with_suffix(".txt"))))
        print(f"{scores[-1]:.3f} {page.stem}")
    print(f"mean {sum(scores) / len(scores):.3f} of {len(scores)} pages, trafilatura {trafilatura.__version__}")


if __name__ == "__main__":
    main()
