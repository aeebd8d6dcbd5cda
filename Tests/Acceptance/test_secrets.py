"""Secrets from files, variables and credentials of systemd, in the place of their text."""

import http.client
import signal

from harness.settings import AUDIENCE, ISSUER, SECRET
from harness.tokens import connection_token

PATIENCE_SECONDS = 10.0
KEY = "acceptance-credential-key-01"
CONFIGURATION = f"""\
tokens:
  secrets: [{{credential: token-secret}}]
  audience: {AUDIENCE}
  issuer: "{ISSUER}"
api: {{keys: [{{file: %s/api-key}}]}}
"""


def ask(hub, method, target, headers):
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, target, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_hub_takes_secrets_from_a_credential_and_a_file_and_reads_them_again(stage):
    (stage.directory / "token-secret").write_text(SECRET + "\n")
    (stage.directory / "api-key").write_text(KEY + "\n")
    hub = stage.hub(environment={"CREDENTIALS_DIRECTORY": str(stage.directory)})
    hub.configure(CONFIGURATION % stage.directory)
    hub.start()
    token = {"Authorization": f"Bearer {connection_token('kari')}"}
    assert ask(hub, "GET", "/api/alerts/rules", token) == 200
    assert ask(hub, "POST", "/api/info", {"X-API-Key": KEY}) == 200
    (stage.directory / "api-key").write_text("another-credential-key-02")
    hub.process.signal(signal.SIGHUP)
    hub.wait_for_log("configuration reloaded changed=api.keys")
    assert ask(hub, "POST", "/api/info", {"X-API-Key": KEY}) == 401
    assert ask(hub, "POST", "/api/info", {"X-API-Key": "another-credential-key-02"}) == 200
    assert KEY not in hub.log and SECRET not in hub.log


def test_missing_secret_is_named_at_the_start(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION % stage.directory)
    process = hub.start(until_ready=False)
    assert process.wait(within=20.0) == 1
    assert "tokens.secrets[0]: $CREDENTIALS_DIRECTORY is not set" in process.log
    assert f"{stage.directory}/api-key: cannot be read" in process.log
