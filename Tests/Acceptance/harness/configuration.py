"""Configuration files, made from the demo's."""

import re

from .processes import REPOSITORY

SECRET = "whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA="


REPLAY = "http://127.0.0.1:8001"


def demo_configuration(values: dict[str, str], aurora: str = "", news: str = REPLAY) -> str:
    """The demo's configuration with other values.

    `values` replaces what stands behind a key, which has to be there exactly once. `aurora` is
    added to the section of that name, its lines indented by two spaces. `news` is where the feeds
    of its section are; without it there is no such section.
    """
    text = (REPOSITORY / "demo/varde.yaml").read_text()
    text = text.replace(f"{REPLAY}/news/", f"{news}/news/") if news else _without_news(text)
    for key, value in values.items():
        text = _after(rf"^ *(?:- )?{re.escape(key)}: ", r".*$", value, text)
    return _after(r"^aurora:\n", "", aurora, text) if aurora else text


def _after(begin: str, replaced: str, value: str, text: str) -> str:
    """`text` with `value` behind the one place that matches `begin`."""
    pattern = re.compile(f"({begin}){replaced}", re.MULTILINE)
    text, count = pattern.subn(lambda found: found[1] + value, text)
    assert count == 1, f"{count} times /{begin}/ in demo/varde.yaml"
    return text


def _without_news(text: str) -> str:
    text, count = re.subn(r"^news:\n(?: +.*\n)+", "", text, flags=re.MULTILINE)
    assert count == 1, f"{count} sections of news in demo/varde.yaml"
    return text
