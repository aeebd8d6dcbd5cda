"""The contrast of texts and marks in every view, light and dark."""

import pytest
from contrast import CANVAS, contrasts
from harness.browser import needs_chromium
from harness.stage import Stage
from scene import Scene
from test_console import VIEWS, Console, chromium  # noqa: F401

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("scene"))
    yield Scene(stage)
    stage.close()


@pytest.fixture(scope="module")
def reader(chromium):  # noqa: F811
    page = chromium.new_page()
    yield page
    page.close()


def too_little(found):
    return sorted(
        {
            f"{each['kind']} {each['text']!r}: {each['ratio']:.2f} of {each['wanted']}, {each['colour']} on {each['behind']} {each.get('box')}"
            for each in found
            if each["ratio"] < each["wanted"]
        }
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_has_the_contrast_of_wcag(scene, chromium, reader, scheme, record_property):  # noqa: F811
    problems, kinds, count = {}, set(), 0
    for view in VIEWS:
        hub, address = scene.addresses[view]
        context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 860})
        context.add_init_script(CANVAS)
        console = Console(hub, context).sign_in()
        page = console.show(address)
        page.wait_for_timeout(1500)
        found = contrasts(page, reader)
        # The navigation alone has sixteen.
        assert len(found) > 20, view
        kinds |= {each["kind"] for each in found}
        count += len(found)
        if too_little(found):
            problems[view] = too_little(found)
        context.close()
    record_property("texts and marks", count)
    assert kinds == {"text", "mark", "border", "canvas"}
    assert problems == {}, "\n".join(f"{view}: {each}" for view, all in problems.items() for each in all)


@pytest.mark.parametrize(("colour", "isEnough"), [("rgb(118, 118, 118)", True), ("rgb(120, 120, 120)", False)])
def test_contrast_is_that_of_wcag(chromium, reader, colour, isEnough):  # noqa: F811
    """4.54 and 4.42 on white: the limit is between them."""
    page = chromium.new_page()
    page.add_init_script(CANVAS)
    page.goto("data:text/html,<body style='background:white'><main></main>")
    page.evaluate("colour => { document.querySelector('main').innerHTML = `<p style='color:${colour}'>Text</p>`; }", colour)
    found = contrasts(page, reader)
    assert [each["text"] for each in found] == ["Text"]
    assert (too_little(found) == []) == isEnough
    page.close()
