"""Rates and numbers that bound one user are there without being configured."""

import re

from harness.attackers import Attackers
from harness.crowd import need_descriptors
from harness.others import Others, namespace_of_others
from harness.settings import TOKENS, configuration, started_hub
from harness.sizes import size
from harness.tokens import connection_token

CONNECTIONS = size("CONNECTIONS_OF_ONE", small=1100, full=6000)
# Too often in a second, or too many at a time.
REFUSED = {3013, 3504}
BOUNDED = [
    "limits.connections_per_user",
    *(f"rates.user.{what}" for what in ("connects", "commands", "publishes")),
    *(f"rates.address.{what}" for what in ("connects", "commands", "publishes")),
]


def test_every_rate_of_a_user_and_an_address_has_a_default(stage):
    path = stage.directory / "varde.yaml"
    path.write_text("log_level: info\n")
    check = stage.run("check", "check-config", "--config", str(path))
    assert check.wait() == 0, check.log
    for key in BOUNDED:
        assert effective(check.output, key) > 0, key


def test_connections_of_one_user_leave_others_theirs(stage, record_property):
    need_descriptors(CONNECTIONS)
    hub = started_hub(stage, configuration(namespace_of_others(), tokens=TOKENS))
    others = Others(stage, hub)
    others.begin()
    token = connection_token("flood")
    crowd = Attackers(hub.port, CONNECTIONS, addresses=10, tokens=lambda _: token)
    stage.ends_with(crowd.leave)
    codes = [each.close_code for each in crowd.all]
    record_property("connected", codes.count(None))
    others.end(record_property)
    assert REFUSED & set(codes) and set(codes) <= REFUSED | {None}, set(codes)


def effective(output, key):
    """The value of a key in what `check-config` prints, which is indented by section."""
    *sections, name = key.split(".")
    rest = output
    for section in sections:
        rest = rest[re.search(rf"^ *{section}:", rest, re.MULTILINE).end() :]
    return int(re.search(rf"^ *{name}: (\d+)", rest, re.MULTILINE)[1])
