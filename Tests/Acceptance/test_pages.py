"""Every shell block of the README and of the tutorials, run as a reader would run it."""

import pytest

from harness.pages import Walk, reading_seconds, sections
from harness.processes import REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs/tutorials").glob("*.md"))]


@pytest.fixture
def walk(tmp_path, stage):
    walk = Walk(tmp_path)
    stage.ends_with(walk.close)
    return walk


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_of_the_page_do_what_it_says(page, walk, record_property):
    count = 0
    for section in sections(page):
        walk.run(section)
        walk.end()
        count += len(section.blocks)
    assert count > 0
