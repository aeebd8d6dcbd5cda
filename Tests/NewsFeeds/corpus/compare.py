#!/usr/bin/env python3
"""Compares the feed reader with feedparser on feedparser's own corpus.

    git clone https://github.com/kurtmckee/feedparser
    python3 -m venv venv && venv/bin/pip install feedparser
    FEEDPARSER_CORPUS=$PWD/feedparser/tests/wellformed FEED_OUTPUT=$PWD/output.jsonl \\
        make test FILTER=NewsFeedsTests.CorpusOutputTests
    venv/bin/python Tests/NewsFeeds/corpus/compare.py feedparser/tests/wellformed output.jsonl

A case is a file. It agrees if the title and the link of the feed and, of each item in order, title, link, id,
dates, summary, content, author and categories agree. The exit code is 1 if fewer than 98 % agree. Folders
whose cases are not about reading feeds are reported but do not count.
"""
import calendar
import html
import json
import pathlib
import re
import sys

import feedparser

COUNTED = ["rss", "rdf", "atom", "atom10"]
AGREEMENT_MIN = 0.98


def markup(text):
    """Without differences that no reader of HTML sees: space, forms of void tags, a div around the text."""
    text = re.sub(r"<(\w+)([^<>]*)></\1>", r"<\1\2 />", text or "")
    text = re.sub(r"\s*/>", " />", text)
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    while match := re.fullmatch(r"<div[^>]*>((?:(?!<div).)*)</div>", text, re.S):
        text = match[1].strip()
    return text


def own(entry, key):
    """The value of the key itself; feedparser answers some keys with the values of others."""
    return dict.get(entry, key)


def seconds(entry, key):
    value = own(entry, key)
    return calendar.timegm(value) if value else None


def author(entry):
    """The name of the first author, or the address of one without a name: `author` is of the last one."""
    authors = own(entry, "authors") or []
    detail = (authors[0] if authors else None) or own(entry, "author_detail") or {}
    return detail.get("name") or detail.get("email") or own(entry, "author") or None


def plain(detail):
    """A title as plain text."""
    text = own(detail, "value") or ""
    if own(detail, "type") != "text/plain":
        text = html.unescape(re.sub(r"<[a-zA-Z/](\"[^\"]*\"|'[^']*'|[^<>\"'])*>", "", text))
    return " ".join(text.split())


def expected(path):
    feed = feedparser.parse(str(path), sanitize_html=False, resolve_relative_uris=False)
    items = []
    for entry in feed.entries:
        contents = [content.value for content in own(entry, "content") or []]
        terms = []
        for tag in own(entry, "tags") or []:
            if tag.term and tag.term not in terms:
                terms.append(tag.term)
        items.append({
            "id": own(entry, "id"),
            "link": own(entry, "link"),
            "title": markup(own(entry, "title")),
            "summary": markup(own(entry, "summary")),
            "content": markup(contents[0] if contents else ""),
            "author": author(entry),
            "categories": terms,
            "published": seconds(entry, "published_parsed"),
            "updated": seconds(entry, "updated_parsed"),
        })
    return {"title": plain(own(feed.feed, "title_detail") or {}), "link": own(feed.feed, "link"), "items": items}


def actual(line):
    items = line.get("items", [])
    for item in items:
        for key in ("title", "summary", "content"):
            item[key] = markup(item[key])
        # feedparser repeats the content of an item as its summary if it has none.
        if not item["summary"]:
            item["summary"] = item["content"]
    return {"title": line.get("title", ""), "link": line.get("link"), "items": items}


def differences(want, have):
    found = []
    for key in ("title", "link"):
        if (want[key] or None) != (have[key] or None):
            found.append((f"feed {key}", want[key], have[key]))
    if len(want["items"]) != len(have["items"]):
        found.append(("count of items", len(want["items"]), len(have["items"])))
    for one, other in zip(want["items"], have["items"]):
        if not one["summary"] and one["content"]:
            one["summary"] = one["content"]
        for key, value in one.items():
            if (value or None) != (other[key] or None):
                found.append((key, value, other[key]))
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    totals = {}
    for line in lines:
        path = pathlib.Path(line["file"])
        if path.suffix != ".xml":
            continue
        found = differences(expected(folder / path), actual(line))
        good, all_ = totals.get(path.parts[0], (0, 0))
        totals[path.parts[0]] = (good + (not found), all_ + 1)
        for key, want, have in found:
            print(f"{path}: {key}: {want!r} here {have!r}" + (f" ({line['error']})" if "error" in line else ""))
    for name, (good, all_) in sorted(totals.items()):
        print(f"{name:16} {good:4} of {all_:4}" + ("" if name in COUNTED else "  not counted"))
    good, all_ = (sum(totals[name][index] for name in COUNTED) for index in (0, 1))
    print(f"agree: {good} of {all_}, {100 * good / all_:.1f} %")
    return 0 if good >= AGREEMENT_MIN * all_ else 1


if __name__ == "__main__":
    sys.exit(main())
