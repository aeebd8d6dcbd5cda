"""Every shell block of the README and of the tutorials, run as a reader would run it."""

import pytest

from harness.pages import record, sections
from harness.processes import REPOSITORY
from harness.walk import Walk

TUTORIALS = REPOSITORY / "docs/tutorials"
# One is for a server: packaging/walk.py runs it on a clean Debian with systemd.
NOT_HERE = {"README.md", "debian-server.md"}
PAGES = [
    REPOSITORY / "README.md",
    *(page for page in sorted(TUTORIALS.glob("*.md")) if page.name not in NOT_HERE),
]
# From the installed program to the first live message.
READING_SECONDS_MAX = 240


@pytest.fixture
def walk(tmp_path, stage):
    walk = Walk(tmp_path)
    stage.ends_with(walk.close)
    return walk


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_of_the_page_do_what_it_says(page, walk):
    count = 0
    for section in sections(page):
        walk.run(section)
        walk.end()
        count += len(section.blocks)
    assert count > 0
    if page.parent == TUTORIALS:
        assert walk.live, "the page does not mark its first live message"
        assert walk.live.reading_seconds <= READING_SECONDS_MAX
        record(page, walk.live)
