"""The console's views of the domains, in Chromium."""

import json
import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect
from test_console import COUNT_ELEMENTS, DIRECTORY, HOSTILE, SHOTS, Console, chromium  # noqa: F401

from harness.browser import needs_chromium
from harness.film_app import FilmApp
from harness.processes import REPOSITORY
from harness.waiting import wait_until

pytestmark = needs_chromium

KEY, NARROW = "acceptance-console-key-01", "acceptance-narrow-key-03"
COMMON = f"""\
development: true
loops: 2
api:
  keys: [{KEY}, {{key: {NARROW}, name: narrow, methods: [info]}}]
console: {{enabled: true{DIRECTORY}}}
"""
DOMAINS = COMMON + f"""\
news: {{requests_per_minute: 1000000}}
radar:
  interval: 24h
  watched_interval: 24h
  refreshes_per_minute: 1000
  creations_per_minute: 1000
  pushes_per_minute: 1000
  sources: []
activity: {{catalogue: {json.dumps(str(REPOSITORY / "demo/catalogue.json"))}}}
rates: {{address: {{logins: 1000000}}}}
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(DOMAINS)
    hub.start()
    return hub


@pytest.fixture
def app(hub):
    return FilmApp(hub.port)


@pytest.fixture
def open_console(chromium):  # noqa: F811
    contexts = []

    def open_console(hub, key=KEY):
        contexts.append(chromium.new_context(viewport={"width": 1280, "height": 860}))
        console = Console(hub, contexts[-1]).sign_in(key)
        console.errors.clear()
        return console

    yield open_console
    for context in contexts:
        context.close()


def own_errors(console):
    """A part of the hub that is off is answered with 404, which Chromium reports for itself."""
    return [error for error in console.errors if "status of 404" not in error]


def shot(page, name):
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def rows(page, caption):
    return page.get_by_role("region", name=caption).locator("tbody tr")


# What every view has


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("aurora", "This hub computes no aurora."),
        ("radar", "No radar is followed."),
        ("news", "This hub collects no news."),
        ("activity", "This hub does not serve the film app."),
    ],
)
def test_view_says_that_its_domain_is_off(stage, open_console, view, text):
    hub = stage.hub()
    hub.configure(COMMON)
    hub.start()
    console = open_console(hub)
    page = console.show(view)
    expect(page.get_by_text(text)).to_be_visible()
    assert own_errors(console) == []


@pytest.mark.parametrize("view", ["radar", "news", "activity"])
def test_key_without_scope_is_refused_with_the_hubs_words(hub, open_console, view):
    page = open_console(hub, NARROW).show(view)
    expect(page.get_by_role("alert").first).to_contain_text("methods: ")


# Aurora


@pytest.fixture
def night(stage):
    """In the middle of the storm; a minute of the data is a second."""
    upstream = f"http://127.0.0.1:{stage.replay()}"
    hub = stage.aurora_hub(upstream, start="2024-12-09T19:30:00Z", speed=60)
    text = hub.configuration.read_text().replace("keys: [varde-demo-api-key]", f"keys: [{KEY}]")
    hub.configure(text + f"console: {{enabled: true{DIRECTORY}}}\n")
    hub.start()
    for route in ("now", "oval"):
        wait_until(
            lambda route=route: hub.get(f"/api/aurora/{route}").status == 200,
            within=60,
            what=f"{route} is known",
        )
    return hub


def test_aurora_shows_the_oval_and_the_score_as_the_hub_has_them(night, open_console):
    console = open_console(night)
    page = console.show("aurora")
    oval = night.get("/api/aurora/oval").json()
    longitudes = {point["lon"] for point in oval["coordinates"]}
    canvas = page.get_by_role("img", name=f"around the north pole, at {len(longitudes)} longitudes, and 1 places")
    expect(canvas).to_be_visible()
    green = canvas.evaluate(
        """canvas => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) count += data[at + 1] > data[at] + 60 && data[at + 1] > data[at + 2] + 40;
          return count;
        }"""
    )
    assert green > 2_000
    expect(rows(page, "The oval by longitude")).to_have_count(len(longitudes))

    expect(page.get_by_role("heading", name=re.compile(r"^Tromsø: \d+ of 100"))).to_be_visible()
    expect(rows(page, "Factors of the score")).to_have_count(5)
    expect(page.get_by_text("No dark hour was forecast and measured yet.")).to_be_visible()
    live = page.get_by_role("status").filter(has_text="values, the")
    expect(live).to_contain_text("Live")
    first = int(re.search(r"(\d+) values", live.text_content())[1])
    expect(live).not_to_contain_text(f" {first} values", timeout=60_000)
    page.get_by_label("Hours before and after now").select_option("24")
    expect(page).to_have_url(re.compile(re.escape("hours=24")))
    values = int(re.search(r"(\d+) values", live.text_content())[1])
    assert rows(page, "Values of aurora:tromso").count() >= values
    shot(page, "aurora")
    assert own_errors(console) == []


def test_place_of_the_address_is_shown_if_the_hub_has_it(night, open_console):
    console = open_console(night)
    for place in ["nowhere", *HOSTILE[:8]]:
        page = console.page
        query = page.evaluate("text => encodeURIComponent(text)", place)
        page = console.show(f"aurora?place={query}")
        expect(page.get_by_role("heading", name=re.compile(r"^Tromsø: "))).to_be_visible()
    assert page.evaluate("window.hit") is None


# Radar


def create_radar(app, person, topic, **values):
    return app.ask("POST", "/api/radars", person.token, {"topic": topic, **values})


def push_opinion(app, radar, **values):
    opinion = {"author": "Ada", "model": "survey", "content": "Yes.", "stance": "for", "confidence": 0.8}
    answer = app.call("POST", f"/api/radars/{radar['id']}/opinions", body=opinion | values, X_API_Key=KEY)
    assert answer.status == 201, answer
    return answer.json()


def test_radar_shows_the_position_with_its_interval_and_every_opinion(hub, app, open_console):
    kari = app.log_in("Kari")
    radar = create_radar(app, kari, "four-day working week", isPublic=True)
    for number, stance in enumerate(["for", "for", "against", "neutral", "for"]):
        push_opinion(app, radar, author=f"Author {number}", stance=stance)
    console = open_console(hub)
    page = console.show(f"radar?radar={radar['id']}")
    explained = app.ask("GET", f"/api/radars/{radar['id']}?explain=1")
    gauge = page.get_by_role("img", name=re.compile("^Position "))
    name = f"Position {explained['position']}, score {explained['score']:.2f}"
    expect(gauge).to_have_attribute("aria-label", re.compile(f"^{re.escape(name)}"))
    expect(gauge.locator("path.interval")).to_have_count(1)
    expect(page.locator("circle.opinion")).to_have_count(5)
    expect(rows(page, "Opinions, the newest first")).to_have_count(5)
    expect(page.get_by_role("img", name="5 opinions by time: 3 for, 1 neutral, 1 against")).to_be_visible()
    expect(page.get_by_text("none yet, it needs opinions of seven days and has 1")).to_be_visible()
    expect(rows(page, "Voices, the weightiest first")).to_have_count(len(explained["voices"]))

    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
    push_opinion(app, radar, author="Author 9", stance="against")
    expect(page.locator("circle.opinion")).to_have_count(6)
    expect(rows(page, "Opinions, the newest first")).to_have_count(6)
    expect(rows(page, "Voices, the weightiest first")).to_have_count(6)
    # The page itself follows it, so the list has it.
    console.show("radar?radar=" + radar["id"])
    expect(rows(page, "Radars that someone follows")).to_contain_text("four-day working week", timeout=20_000)
    shot(page, "radar")
    assert own_errors(console) == []


def test_private_radar_is_shown_from_what_its_topic_keeps(hub, app, open_console):
    radar = create_radar(app, app.log_in("Kari"), "a secret", isPublic=False)
    push_opinion(app, radar, content="Only in the topic.")
    console = open_console(hub)
    page = console.show(f"radar?radar={radar['id']}")
    expect(page.get_by_text("The radar is private")).to_be_visible()
    expect(rows(page, "Opinions, the newest first")).to_have_count(1)
    expect(page.get_by_text("Only in the topic.")).to_be_visible()
    expect(page.get_by_text("a secret")).to_have_count(0)
    assert [error for error in own_errors(console) if "status of 40" not in error] == []


def test_hostile_opinions_are_shown_as_texts(hub, app, open_console):
    texts = [text for text in HOSTILE if re.search(r"[^\s\u200b\ufeff\x00-\x1f\u202e]", text)]
    radar = create_radar(app, app.log_in("Kari"), "<img src=x onerror=window.hit=1>", isPublic=True)
    pushed = 0
    for text in texts:
        opinion = {"author": text[:200], "model": "m", "content": text, "stance": "for", "confidence": 1}
        answer = app.call("POST", f"/api/radars/{radar['id']}/opinions", body=opinion, X_API_Key=KEY)
        pushed += answer.status == 201
    assert pushed > 40
    console = open_console(hub)
    page = console.page
    elements = page.evaluate(COUNT_ELEMENTS)
    page = console.show(f"radar?radar={radar['id']}")
    expect(rows(page, "Opinions, the newest first")).to_have_count(pushed)
    expect(page.get_by_text("<svg/onload=window.hit=1>").first).to_be_visible()
    for text in HOSTILE:
        query = page.evaluate("text => encodeURIComponent(text)", text)
        page.evaluate(
            "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
            f"radar?radar={query}",
        )
        page.locator("main h1").wait_for()
    console.assert_texts_stayed_texts(elements)
    console.show("radar?radar=none")
    expect(page.get_by_text("No radar has this id.")).to_be_visible()


# News


def push_articles(hub, app, articles):
    answer = app.call("POST", "/api/news/articles", body={"articles": articles}, X_API_Key=KEY)
    assert answer.status == 200, answer


def article(story, number, title=None, **values):
    words = " ".join(f"{word}{story}" for word in ("harbour", "tariff", "glacier", "senate", "orchard", "violin"))
    return {
        "url": f"https://wire.example.com/{story}/{number}",
        "title": title or f"{words} report {number}",
        "description": f"{words} and more of it, part {number}",
        "source": f"Publisher {number}",
        "category": "science",
        "published_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        **values,
    }


def test_news_shows_stories_that_grow(hub, app, open_console):
    for story in ("alpha", "beta", "gamma"):
        push_articles(hub, app, [article(story, 0)])
    console = open_console(hub)
    page = console.show("news")
    stories = rows(page, "Stories, the largest first")
    expect(stories).to_have_count(3, timeout=30_000)
    expect(page.get_by_role("img", name="3 stories with 3 articles")).to_be_visible()
    expect(page.locator("g.story")).to_have_count(3)
    expect(page.locator("g.rank")).to_have_count(3)
    expect(page.get_by_role("status").filter(has_text="Live: 0 changes")).to_be_visible()
    push_articles(hub, app, [article("delta", 0, category="sports")])
    expect(stories).to_have_count(4, timeout=30_000)
    expect(page.locator("g.story")).to_have_count(4)
    page.get_by_label("Category").select_option("sports")
    expect(stories).to_have_count(1)
    expect(page).to_have_url(re.compile(re.escape("category=sports")))
    shot(page, "news")
    assert own_errors(console) == []


def test_hostile_titles_are_shown_as_texts(hub, app, open_console):
    count = 0
    for number, text in enumerate(HOSTILE):
        body = {"articles": [article(f"x{number}", 0, title=text[:500] or None)]}
        count += app.call("POST", "/api/news/articles", body=body, X_API_Key=KEY).status == 200
    assert count > 40
    console = open_console(hub)
    page = console.page
    elements = page.evaluate(COUNT_ELEMENTS)
    page = console.show("news")
    # Texts that differ only in their signs are of one story.
    stories = rows(page, "Stories, the largest first")
    expect(stories.get_by_text("<script>window.hit=1</script>").first).to_be_visible(timeout=30_000)
    assert stories.count() > 10
    for text in HOSTILE[:10]:
        query = page.evaluate("text => encodeURIComponent(text)", text)
        console.show(f"news?category={query}")
    console.assert_texts_stayed_texts(elements)


# Activity


def test_activity_shows_what_friends_do(hub, app, open_console):
    kari, ola, per = (app.log_in(name) for name in ("Kari", "Ola", "Per"))
    app.befriend(kari, ola)
    app.befriend(kari, per)
    app.ask("POST", "/movies/1/rate", kari.token, {"rating": 4, "comment": "Good.", "is_review": False})
    console = open_console(hub)
    page = console.show("activity")
    expect(page.get_by_text("No user is connected.")).to_be_visible()
    page.get_by_label("Id of a user").fill(str(ola.id))
    page.get_by_role("button", name="Show").click()
    feed = rows(page, "Activities, the newest first")
    expect(feed).to_have_count(1)
    expect(feed.first).to_contain_text("rated ★★★★☆")
    expect(feed.first).to_contain_text("Kari")
    expect(page).to_have_url(re.compile(re.escape(f"user={ola.id}")))
    waiting = page.locator(".figure", has_text="Waiting acts")
    expect(waiting).to_contain_text("0")
    expect(page.get_by_role("img", name="Acts that wait for their fan-out: 0 now")).to_be_visible()
    expect(rows(page, "Acts since the start of the hub").filter(has_text="rating")).to_contain_text("1")
    shot(page, "activity")
    assert [error for error in own_errors(console) if "status of 40" not in error] == []


def test_hostile_comments_are_shown_as_texts(hub, app, open_console):
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    count = 0
    for number, text in enumerate(HOSTILE):
        body = {"rating": 5, "comment": text, "is_review": True}
        count += app.call("POST", f"/movies/{number + 1}/rate", kari.token, body).status == 200
    app.call("PATCH", "/users/me", kari.token, {"name": "<b id=hit>Kari"})
    assert count > 40
    console = open_console(hub)
    page = console.page
    elements = page.evaluate(COUNT_ELEMENTS)
    page = console.show(f"activity?user={ola.id}")
    expect(page.get_by_text("<x onclick=window.hit=1").first).to_be_visible()
    for text in HOSTILE:
        query = page.evaluate("text => encodeURIComponent(text)", text)
        page.evaluate(
            "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
            f"activity?user={query}",
        )
        page.locator("main h1").wait_for()
    console.assert_texts_stayed_texts(elements)
