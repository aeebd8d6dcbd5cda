"""Secrets of webhooks are sealed in the store, and a hub needs the key that sealed them."""

import base64
import json
import secrets
import sqlite3
from contextlib import closing

import pytest

from harness.settings import ENVIRONMENT, configuration, namespace
from harness.webhook_fixtures import inbox  # noqa: F401
from harness.webhooks import WebhookAPI

KEY_BYTES_MIN = 32
KEY, OTHER_KEY = secrets.token_urlsafe(KEY_BYTES_MIN), secrets.token_urlsafe(KEY_BYTES_MIN)
VARIABLE = "WEBHOOK_SECRET_KEY"
# Of the secrets and of the private halves of signing keys, as the hub stores them without a key.
SECRET_PREFIX, SIGNING_KEY_PREFIX = "whsec_", "whsk_"
# A part of a text in base64 that no other text contains by chance.
RECOGNIZED_CHARACTERS = 12


@pytest.fixture
def hub(stage):
    return stage.hub(environment=dict(ENVIRONMENT))


@pytest.fixture
def configure(hub, inbox):
    """Gives the hub a key from a file or the environment, or none, for its next start."""

    def configure(key="", source="secret_key_env"):
        values = {"allow_addresses": ["127.0.0.1/32"], "ports": [inbox.port]}
        hub.environment.pop(VARIABLE, None)
        if key and source == "secret_key_file":
            path = hub.directory / "webhooks.key"
            path.write_text(f"{key}\n")
            values[source] = str(path)
        elif key:
            hub.environment[VARIABLE] = key
            values[source] = VARIABLE
        text = configuration(namespace("other"), webhook_limits=json.dumps(values))
        hub.configure(text)

    return configure


@pytest.mark.parametrize("source", ["secret_key_env", "secret_key_file"])
def test_no_file_of_the_store_contains_a_secret(hub, configure, inbox, source):
    configure(KEY, source)
    hub.start()
    api = WebhookAPI(hub)
    made = api.active(inbox.url)
    rotated = api.command(made["id"], "rotate")
    assert_signed(api, inbox, made, rotated)
    hidden = [made["secret"], rotated["secret"], KEY]
    log = hub.database.with_name(f"{hub.database.name}-wal")
    assert log.stat().st_size > 0, "the newest rows are expected in the write-ahead log"
    back_up(hub)
    assert_hidden(hub, hidden)
    hub.kill()
    assert_hidden(hub, hidden)
    hub.start()
    assert_signed(api, inbox, made, rotated)
    hub.interrupt()
    assert_hidden(hub, hidden)
    hub.start()
    assert_signed(api, inbox, made, rotated)
    assert not [each for each in hidden if each in hub.log]


def test_secrets_that_were_stored_in_clear_are_sealed_at_the_next_start(hub, configure, inbox):
    configure()
    hub.start()
    api = WebhookAPI(hub)
    made = api.active(inbox.url)
    hub.interrupt()
    # Without a key the search finds the secret, so it would find one that was not sealed.
    assert files_with(hub, recognized(made["secret"])) == [hub.database.name]
    assert files_with(hub, [SIGNING_KEY_PREFIX.encode()]) == [hub.database.name]
    configure(KEY)
    hub.start()
    assert_signed(api, inbox, made)
    hub.interrupt()
    back_up(hub)
    assert_hidden(hub, [made["secret"]])
    hub.start()
    assert_signed(api, inbox, made)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "is sealed in the store, and no key is configured"),
        (OTHER_KEY, "it is another key than the one that sealed it"),
    ],
    ids=["no key", "another key"],
)
def test_hub_without_the_key_that_sealed_does_not_start(hub, configure, inbox, key, message):
    configure(KEY)
    hub.start()
    api = WebhookAPI(hub)
    made = api.active(inbox.url)
    hub.interrupt()
    configure(key)
    said = refused(hub)
    assert message in said and made["id"] in said, said
    assert "webhook_limits.secret_key_file or secret_key_env" in said
    # The refusal changed nothing.
    configure(KEY)
    hub.start()
    assert_signed(api, inbox, made)


def test_another_key_seals_when_no_sealed_webhook_is_left(hub, configure, inbox):
    configure(KEY)
    hub.start()
    api = WebhookAPI(hub)
    made = api.active(inbox.url)
    api.ask("DELETE", f"/api/webhooks/{made['id']}")
    hub.interrupt()
    configure(OTHER_KEY)
    hub.start()
    made = api.active(inbox.url)
    assert_signed(api, inbox, made)
    hub.interrupt()
    assert_hidden(hub, [made["secret"]])


def test_key_has_at_least_32_bytes_without_the_white_space_around_it(hub, configure):
    for source in ("secret_key_env", "secret_key_file"):
        configure("k" * (KEY_BYTES_MIN - 1) + " ", source)
        said = refused(hub)
        assert "found a key of 31 bytes, expected at least 32" in said and source in said, said
        configure("k" * KEY_BYTES_MIN, source)
        hub.start()
        hub.interrupt()


def test_key_that_is_not_where_it_should_be_is_named(hub, configure):
    configure(KEY)
    del hub.environment[VARIABLE]
    said = refused(hub)
    assert "secret_key_env" in said and "nothing found where the key should be" in said, said
    configure(KEY, "secret_key_file")
    (hub.directory / "webhooks.key").unlink()
    said = refused(hub)
    assert "secret_key_file" in said and "nothing found where the key should be" in said, said


def assert_signed(api, inbox, made, *rotated):
    """Sends a test event, and asserts that each secret and signing key has signed it, no other."""
    count = len(inbox.events)
    api.command(made["id"], "test", status=202)
    delivery = inbox.wait(count + 1)[-1]
    for each in (made, *rotated):
        delivery.verify(each["secret"])
        assert delivery.is_signed_with(each["public_key"])
    for version in ("v1", "v1a"):
        assert len(delivery.signatures(version)) == 1 + len(rotated)


def refused(hub):
    """The log of a hub that does not start."""
    process = hub.start(until_ready=False)
    assert process.wait() == 1, process.log
    assert KEY not in process.log and SECRET_PREFIX not in process.log
    return process.log


# Files of the store


def back_up(hub):
    """Copies the database with SQLite's backup, as other tools do."""
    copy = hub.database.with_name(f"{hub.database.name}-backup")
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(hub.database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def assert_hidden(hub, hidden):
    """Asserts that no file of the store contains these secrets, or any in the hub's format."""
    names = [path.name for path in store_files(hub)]
    assert {hub.database.name, f"{hub.database.name}-mark"} <= set(names), names
    for secret in hidden:
        assert files_with(hub, recognized(secret)) == []
    prefixes = [prefix.encode() for prefix in (SECRET_PREFIX, SIGNING_KEY_PREFIX)]
    assert files_with(hub, prefixes) == []


def store_files(hub):
    return sorted(hub.directory.glob(f"{hub.database.name}*"))


def files_with(hub, patterns):
    """The names of the store's files that contain at least one of the byte strings."""
    return [
        path.name
        for path in store_files(hub)
        # JSON may escape a slash with a backslash.
        if any(pattern in path.read_bytes().replace(rb"\/", b"/") for pattern in patterns)
    ]


def recognized(secret):
    """Byte strings that reveal a secret: its text and its key, in clear, hexadecimal and base64.

    Base64 encodes three bytes at a time, so a text has three forms, by its place among the bytes
    that were encoded with it.
    """
    text = secret.removeprefix(SECRET_PREFIX).encode()
    found = [text, text[:RECOGNIZED_CHARACTERS], text[-RECOGNIZED_CHARACTERS:]]
    contents = [text]
    if secret.startswith(SECRET_PREFIX):
        contents.append(base64.b64decode(text))
    for content in contents:
        found += [content, content.hex().encode(), content.hex().upper().encode()]
        for begin in range(3):
            # Only whole groups of three bytes: other bytes share a group with what is beside them.
            end = begin + (len(content) - begin) // 3 * 3
            found += [base64.b64encode(content[begin:end])]
            found += [base64.urlsafe_b64encode(content[begin:end])]
    return found
