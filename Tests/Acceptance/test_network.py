"""The tests themselves reach nothing beyond loopback."""

import errno
import os
import socket

import pytest

# RFC 5737 and RFC 3849: of documentation, and of nobody.
BEYOND = [(socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")]


@pytest.mark.skipif("OWN_NETWORK" not in os.environ, reason="run.sh could not make a network")
@pytest.mark.parametrize(("family", "address"), BEYOND)
def test_no_packet_can_leave_the_network_of_the_tests(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        # UDP connects without a packet; it only looks for a route.
        with pytest.raises(OSError) as refused:
            probe.connect((address, 9))
        assert refused.value.errno in (errno.ENETUNREACH, errno.EADDRNOTAVAIL)
