"""The console with the keyboard only: no step of a walk through it needs a pointer, and the focus is always visible."""

import pytest
from harness.browser import needs_chromium
from playwright.sync_api import expect
from test_console import KEY, VIEWS, chromium, console, hub  # noqa: F401
from test_state import readers, rows  # noqa: F401

pytestmark = needs_chromium

PRESSES_MAX = 60
# The element with the focus: whether it has an outline, and whether the middle of its visible part is uncovered.
FOCUS = """() => {
  const element = document.activeElement;
  if (element === document.body) return { name: "nothing", hasOutline: false, isUncovered: false };
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
  const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
  return {
    name: `${element.tagName} ${(element.textContent || element.id).trim().slice(0, 40)}`,
    hasOutline: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/, 0\\)$/.test(outlineColor),
    isUncovered: element.contains(document.elementFromPoint(x, y)),
  };
}"""


class Keyboard:
    def __init__(self, page):
        self.page = page
        self.seen = []

    def assert_focus_is_visible(self):
        focus = self.page.evaluate(FOCUS)
        self.seen.append(focus["name"])
        assert focus["hasOutline"] and focus["isUncovered"], (focus, self.seen)

    def press(self, key):
        self.page.keyboard.press(key)

    def step(self, key="Tab"):
        """Moves the focus."""
        self.press(key)
        self.assert_focus_is_visible()

    def go_to(self, target, key="Tab"):
        """Moves the focus until it is on a target."""
        for _ in range(PRESSES_MAX):
            self.step(key)
            if target.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"no focus on {target}: {self.seen}")


def test_whole_walk_needs_only_the_keyboard(hub, console, readers):  # noqa: F811
    readers(3)
    page = console.page
    page.goto(console.root)
    keyboard = Keyboard(page)

    # Sign in: the field has the focus.
    expect(page.get_by_label("API key")).to_be_focused()
    keyboard.assert_focus_is_visible()
    page.keyboard.type(KEY)
    keyboard.press("Enter")
    page.get_by_role("navigation", name="Views").wait_for()

    # The first stop leads over the navigation.
    keyboard.step()
    expect(page.get_by_role("link", name="Skip to the view")).to_be_focused()
    keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    keyboard.assert_focus_is_visible()

    # Every view.
    links = page.get_by_role("navigation", name="Views").get_by_role("link")
    expect(links).to_have_count(len(VIEWS))
    keyboard.go_to(links.first, "Shift+Tab")
    for index in range(len(VIEWS)):
        if index > 0:
            keyboard.step()
        link = links.nth(index)
        expect(link).to_be_focused()
        keyboard.press("Enter")
        expect(link).to_have_attribute("aria-current", "page")
        expect(page.locator("main h1")).to_have_text(link.text_content())
        keyboard.assert_focus_is_visible()

    # A row of a view, and an action with its question.
    connections = links.nth(VIEWS.index("connections"))
    keyboard.go_to(connections, "Shift+Tab")
    keyboard.press("Enter")
    expect(rows(page)).to_have_count(3)
    keyboard.go_to(rows(page).first.get_by_role("button"))
    keyboard.press("Enter")
    pane = page.locator("section.pane")
    disconnect = pane.get_by_role("button", name="Disconnect")
    disconnect.wait_for()
    keyboard.go_to(disconnect, "Shift+Tab")
    keyboard.press("Enter")
    expect(pane.get_by_text("End this connection?")).to_be_visible()
    # The harmless answer is the nearest one.
    expect(pane.get_by_role("button", name="No")).to_be_focused()
    keyboard.assert_focus_is_visible()
    keyboard.press("Enter")
    expect(disconnect).to_be_focused()
    keyboard.press("Enter")
    keyboard.go_to(pane.get_by_role("button", name="Yes"), "Shift+Tab")
    keyboard.press("Enter")
    expect(rows(page)).to_have_count(2)

    # Sign out.
    keyboard.go_to(page.get_by_role("button", name="Sign out"), "Shift+Tab")
    keyboard.press("Enter")
    expect(page.get_by_label("API key")).to_be_focused()
    assert page.evaluate("sessionStorage.length") == 0
