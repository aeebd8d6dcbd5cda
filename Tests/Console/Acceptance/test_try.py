"""The view Try it: connections as clients have them, tokens of development, and the same as code."""

import jwt
import pytest
import re
from harness.browser import needs_chromium
from playwright.sync_api import expect
from test_console import DIRECTORY, HOSTILE, KEY, READER, Console, chromium, console, publish  # noqa: F401

pytestmark = needs_chromium

SECRET = "a secret of at least thirty-two bytes, for tests"
CONFIGURATION = f"""\
loops: 1
api:
  keys:
    - {KEY}
    - {{key: {READER}, name: reader, read_only: true}}
console: {{enabled: true{DIRECTORY}}}
tokens: {{secrets: ["{SECRET}"], audience: app}}
namespaces:
  - {{name: chat, anonymous_subscribe: true, history_size: 100, history_age: 1h}}
  - {{name: staff, history_size: 10, history_age: 1h}}
"""


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


def frames(page):
    return page.get_by_role("region", name="Frames, newest first").locator("tbody tr")


def visit(page, view):
    """Goes to a view of the console with each hostile text in its query, without a new page."""
    for text in HOSTILE:
        query = page.evaluate("text => encodeURIComponent(text)", text)
        page.evaluate(
            "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }",
            view.format(query),
        )
        expect(page.locator("main h1")).to_be_visible()


def connect(page):
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_text("Connected.")).to_be_visible()


@pytest.mark.parametrize("protocol", ["centrifuge", "events", "cloudevents"])
def test_publication_arrives_by_every_protocol(hub, console, protocol):
    console.sign_in()
    console.errors.clear()
    page = console.show(f"try?protocol={protocol}&topics=chat:try")
    expect(page.get_by_text("No frames yet.")).to_be_visible()
    connect(page)
    if protocol == "centrifuge":
        expect(frames(page).filter(has_text='{"id":2,"subscribe":{"channel":"chat:try"}}')).to_contain_text("sent")
        expect(frames(page).filter(has_text='"id":2,').filter(has_text="received")).to_have_count(1)
    page.get_by_label("JSON to publish").fill('{"text":"tried"}')
    page.get_by_role("button", name="Publish").click()
    newest = frames(page).first
    expect(newest).to_contain_text("tried")
    expect(newest).to_contain_text("received")
    count = frames(page).count()
    expect(page.locator(".plot rect.received, .plot rect.sent")).to_have_count(count)
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_role("status").filter(has_text="losed")).to_be_visible()
    publish(hub, "chat:try", {"text": "too late"})
    assert frames(page).count() == count
    assert console.errors == []


def test_commands_of_the_client_are_sent_and_answered(hub, console):
    page = console.sign_in().show("try?topics=chat:try")
    connect(page)
    page.get_by_label("Command of the client protocol").fill('{"id":77,"history":{"channel":"chat:try"}}')
    page.get_by_role("button", name="Send", exact=True).click()
    expect(frames(page).filter(has_text='"id":77').filter(has_text="received")).to_have_count(1)


def test_refusal_is_shown(hub, console):
    page = console.sign_in().show("try?protocol=events&topics=nothing:here")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="nothing")).to_be_visible()
    expect(page.get_by_role("button", name="Connect", exact=True)).to_be_visible()


def test_token_of_development_opens_a_topic_and_the_secret_is_forgotten(hub, console):
    page = console.sign_in().show("try?topics=staff:room&as=token")
    page.get_by_label("Secret of tokens.secrets").fill(SECRET)
    page.get_by_label("User").fill("kari")
    page.get_by_label("More claims (JSON)").fill('{"aud":"app"}')
    page.get_by_label("Also a subscription token for each topic").check()
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("With tokens for 1 topics.")).to_be_visible()
    token = page.get_by_label("Connection token").input_value()
    assert jwt.decode(token, SECRET, algorithms=["HS256"], audience="app")["sub"] == "kari"
    expect(page.get_by_label("Secret of tokens.secrets")).to_have_value("")
    connect(page)
    expect(frames(page).filter(has_text='"id":2').filter(has_text="received")).not_to_contain_text("error")
    publish(hub, "staff:room", {"text": "for staff"})
    expect(frames(page).first).to_contain_text("for staff")
    stored = page.evaluate("JSON.stringify({...sessionStorage}) + JSON.stringify({...localStorage})")
    assert SECRET not in stored and token not in stored
    assert all(SECRET not in url and token not in url for url in console.urls)


def test_code_has_the_address_and_never_the_key(hub, console):
    page = console.sign_in().show("try?topics=chat:it's")
    for protocol in ("centrifuge", "events", "cloudevents"):
        page.get_by_label("Protocol").select_option(protocol)
        for language in ("curl", "JavaScript", "Python", "Swift"):
            page.get_by_role("group", name="Language").get_by_role("button", name=language).click()
            text = " ".join(page.locator("main pre").all_text_contents())
            assert f"127.0.0.1:{hub.port}/" in text
            assert "KEY" in text and KEY not in text
            if language == "Python":
                for part in page.locator("main pre").all_text_contents():
                    compile(part, "sample", "exec")
    expect(page).to_have_url(re.compile(re.escape("code=swift")))
    expect(page).to_have_url(re.compile(re.escape("protocol=cloudevents")))


def test_publish_without_the_scope_is_refused_with_the_hubs_words(hub, console):
    page = console.sign_in(READER).show("try?topics=chat:try")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_contain_text("read_only")


def test_hostile_texts_are_frames_and_code_like_others(hub, console):
    page = console.sign_in().show("try?protocol=events&topics=chat:hostile")
    connect(page)
    for text in HOSTILE:
        publish(hub, "chat:hostile", {text: text}, tags={"tag": text[:100]})
    expect(frames(page)).to_have_count(len(HOSTILE) + 1)
    visit(page, "try?topics={0}&protocol={0}&as={0}&code={0}")
    console.assert_texts_stayed_texts()


def test_parts_of_the_view(hub, console):
    """The pure functions, in the browser that has to run them."""
    page = console.sign_in().page
    result = page.evaluate("""async () => {
        const { isPing, opening, topicsOf, withFrame } = await import('./views/try.js');
        const { base64url, claims, mayMakeTokens, signed } = await import('./lib/token.js');
        const { quoted } = await import('./lib/samples.js');
        let frames = [];
        for (let index = 0; index < 201; index += 1) frames = withFrame(frames, 'sent', 'x'.repeat(601), index);
        return {
            topics: topicsOf(' a:1,b:2  a:1,, '),
            many: topicsOf(Array.from({length: 101}, (_, n) => `a:${n}`).join()).length,
            opening: opening(['a:1'], {'': 'C', 'a:1': 'S'}).map((text) => JSON.parse(text)),
            pings: ['{}', '{}\\n', '{"id":1}', ''].map(isPing),
            frames: [frames.length, frames[0].number, frames[0].size, frames[0].text.length, frames[0].isCut],
            size: withFrame([], 'sent', 'é', 0)[0].size,
            base64url: base64url(new Uint8Array([251, 255, 254])),
            claims: [claims({user: '', seconds: 5, more: {exp: 9}}, 100), claims({user: 'a', seconds: 5, topic: 't:1', more: {}}, 100)],
            hosts: ['localhost', '127.0.0.1', '[::1]', '127.0.0.1.example.org', 'hub.example.org']
                .map((hostname) => mayMakeTokens({hostname}, crypto.subtle)),
            without: mayMakeTokens({hostname: 'localhost'}, undefined),
            token: await signed({sub: 'é'}, 'a'.repeat(32)),
            quoted: quoted("it's"),
        };
    }""")
    token = result.pop("token")
    assert jwt.decode(token, "a" * 32, algorithms=["HS256"]) == {"sub": "é"}
    assert result == {
        "topics": ["a:1", "b:2"],
        "many": 100,
        "opening": [
            {"id": 1, "connect": {"token": "C", "name": "console"}},
            {"id": 2, "subscribe": {"channel": "a:1", "token": "S"}},
        ],
        "pings": [True, True, False, False],
        "frames": [200, 201, 601, 600, True],
        "size": 2,
        "base64url": "-__-",
        "claims": [{"iat": 100, "exp": 9}, {"sub": "a", "iat": 100, "exp": 105, "channel": "t:1"}],
        "hosts": [True, True, True, False, False],
        "without": False,
        "quoted": "'it'\\''s'",
    }
