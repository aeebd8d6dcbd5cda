"""Lines of the log that a peer can cause have a rate, and what they quote cannot forge a line."""

from harness.attackers import Attacker
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.sizes import size
from harness.strace import injected
from harness.tokens import connection_token

REFUSALS = size("REFUSALS", small=300, full=3000)
# A rate lets some pass in each of its windows, and says how many it has held back.
LINES_MAX = 100
OVERRIDE, SEPARATOR = "\u202e", "\u2028"


def test_refused_publications_fill_no_log(stage, record_property):
    hub = started_hub(stage, configuration(namespace("kept")))
    backend = stage.backend(hub.port)
    with injected(hub.process.pid, "pwrite64:error=EIO", "fdatasync:error=EIO"):
        for number in range(REFUSALS):
            assert "error" in backend.call("publish", channel="kept:a", data=number)
    assert_few(hub, "publishing failed", record_property)


def test_refused_tokens_fill_no_log(stage, record_property):
    hub = started_hub(stage, configuration(namespace("kept"), tokens=TOKENS))
    token = connection_token("eve", ttl=-60)
    for _ in range(REFUSALS):
        attacker = Attacker(hub.port, token=token)
        attacker.close()
    assert_few(hub, "token refused", record_property)


def test_user_names_turn_no_text_and_break_no_line(stage):
    text = configuration(namespace("kept"), tokens=TOKENS, log_level="debug")
    hub = started_hub(stage, text)
    name = f"eve{OVERRIDE}gnp{SEPARATOR}forged"
    stage.ends_with(Attacker(hub.port, token=connection_token(name)).close)
    hub.process.wait_for_log("eve.{1,12}gnp", within=10)
    assert OVERRIDE not in hub.process.log and SEPARATOR not in hub.process.log


def assert_few(hub, entry, record_property):
    lines = hub.process.log.count(entry)
    record_property("lines", f"{lines} of {REFUSALS}")
    assert 0 < lines <= LINES_MAX
