"""Configuration files, made from the demo's."""

import re

from .processes import REPOSITORY

SECRET = "whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA="


def demo_configuration(values: dict[str, str], aurora: str = "") -> str:
    """The demo's configuration with other values.

    `values` replaces what stands behind a key, which has to be there exactly once. `aurora` is
    added to the section of that name, its lines indented by two spaces.
    """
    text = (REPOSITORY / "demo/varde.yaml").read_text()
    for key, value in values.items():
        text = _after(rf"^ *(?:- )?{re.escape(key)}: ", r".*$", value, text)
    return _after(r"^aurora:\n", "", aurora, text) if aurora else text


def _after(begin: str, replaced: str, value: str, text: str) -> str:
    """`text` with `value` behind the one place that matches `begin`."""
    pattern = re.compile(f"({begin}){replaced}", re.MULTILINE)
    text, count = pattern.subn(lambda found: found[1] + value, text)
    assert count == 1, f"{count} times /{begin}/ in demo/varde.yaml"
    return text
