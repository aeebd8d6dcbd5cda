"""Caches keep no private answers, and browsers guess no answer's type."""

import pytest

from harness.settings import API_KEY, configuration, namespace, started_hub


@pytest.mark.parametrize("target", ["/livez", "/metrics", "/api/health", "/debug/why", "/none"])
def test_type_of_no_answer_is_guessed(stage, target):
    hub = started_hub(stage, configuration(namespace("kept")))
    assert hub.get(target).headers["x-content-type-options"] == "nosniff"


def test_what_became_of_a_publication_is_kept_by_no_cache(stage):
    hub = started_hub(stage, configuration(namespace("kept")))
    answer = hub.get("/debug/why?client=a&topic=kept:a&offset=1", {"X-API-Key": API_KEY})
    assert answer.headers["cache-control"] == "no-store"
