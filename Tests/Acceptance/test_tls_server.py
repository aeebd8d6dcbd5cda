"""TLS as an operator sets it up: certificates by name, renewal, client certificates, refusals."""

import http.client
import signal
import socket
import ssl

import pytest

from harness.certificate import Certificate

PATIENCE_SECONDS = 30.0
# Less than the handshake's deadline: who is closed by that one was not closed at once.
AT_ONCE_SECONDS = 5.0


def test_certificate_is_chosen_by_the_name_a_client_asks_for(stage, certificate):
    exact = Certificate(stage.directory, "exact", names="DNS:hub.example.org")
    wildcard = Certificate(stage.directory, "wildcard", names="DNS:*.example.org")
    hub = start(
        stage, f"{{{certificate.yaml}, certificates: [{{{exact.yaml}}}, {{{wildcard.yaml}}}]}}"
    )
    expected = {
        "hub.example.org": exact,
        "any.example.org": wildcard,
        "a.b.example.org": certificate,
        "localhost": certificate,
        None: certificate,
    }
    for name, shown in expected.items():
        with connect(hub.port, doubting_context(), name=name) as client:
            assert client.getpeercert(binary_form=True) == shown.bytes, name


def test_renewed_certificate_is_used_on_sighup_and_nobody_is_disconnected(stage):
    certificate = Certificate(stage.directory, "first")
    hub = start(stage, f"{{{certificate.yaml}}}")
    early = https(hub.port, certificate.trusting_context())
    assert answers(early)

    renewed = Certificate(stage.directory, "renewed")
    certificate.replace_by(renewed)
    hub.process.signal(signal.SIGHUP)
    hub.process.wait_for_log("certificates reloaded", within=PATIENCE_SECONDS)
    assert answers(early)
    assert answers(https(hub.port, renewed.trusting_context()))

    other = Certificate(stage.directory, "other")
    certificate.key.write_bytes(other.key.read_bytes())
    hub.process.signal(signal.SIGHUP)
    said = hub.process.wait_for_log("certificates not reloaded.*", within=PATIENCE_SECONDS)
    assert str(certificate.key) in said[0] and "does not belong" in said[0]
    assert answers(early)
    assert answers(https(hub.port, renewed.trusting_context()))


def test_client_certificate_is_required_where_configured(stage, certificate):
    known = Certificate(stage.directory, "known", names="DNS:client")
    unknown = Certificate(stage.directory, "unknown", names="DNS:client")
    hub = start(
        stage, f"{{{certificate.yaml}, client_certificates: required, client_ca: {known.path}}}"
    )
    context = certificate.trusting_context()
    context.load_cert_chain(known.path, known.key)
    assert answers(https(hub.port, context))
    for wrong in (None, unknown):
        context = certificate.trusting_context()
        if wrong:
            context.load_cert_chain(wrong.path, wrong.key)
        # In TLS 1.3 the client learns of it after its side of the handshake.
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            answers(https(hub.port, context))


@pytest.mark.parametrize("minimum", ["", ", minimum_version: 1.2", ", minimum_version: 1.3"])
def test_minimum_version_refuses_older_clients_and_no_others(stage, certificate, minimum):
    other = Certificate(stage.directory, "other", names="DNS:other.example.org")
    hub = start(stage, f"{{{certificate.yaml}{minimum}, certificates: [{{{other.yaml}}}]}}")
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        for name in (None, "other.example.org"):
            context = doubting_context()
            context.minimum_version = context.maximum_version = version
            if minimum.endswith("1.3") and version == ssl.TLSVersion.TLSv1_2:
                with pytest.raises(ssl.SSLError, match="(?i)protocol.version"):
                    connect(hub.port, context, name=name)
            else:
                with connect(hub.port, context, name=name) as client:
                    assert client.version() == ("TLSv1.2" if version.name == "TLSv1_2" else "TLSv1.3")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_session_is_resumed_on_whichever_loop(stage, certificate, version):
    hub = start(stage, f"{{{certificate.yaml}}}", "loops: 2\n")
    context = certificate.trusting_context()
    context.minimum_version = context.maximum_version = version
    session = None
    # The kernel deals out the connections; that all go to one loop is one in 32,768.
    for count in range(16):
        with connect(hub.port, context, session=session) as client:
            assert client.session_reused == (count > 0), count
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
            session = client.session


def test_client_of_another_protocol_is_refused(stage, certificate):
    hub = start(stage, f"{{{certificate.yaml}}}")
    context = certificate.trusting_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with connect(hub.port, context) as client:
        assert client.selected_alpn_protocol() == "http/1.1"
    context.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        connect(hub.port, context)


@pytest.mark.parametrize("text", [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"SSH-2.0-a\r\n"])
def test_plain_text_is_closed_at_once(stage, certificate, text):
    hub = start(stage, f"{{{certificate.yaml}}}", "log_level: debug\n")
    with socket.create_connection(("127.0.0.1", hub.port), timeout=AT_ONCE_SECONDS) as client:
        client.sendall(text)
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    # At most an alert; nothing that a plain client would take for an answer.
    assert len(answer) in (0, 7)
    hub.process.wait_for_log("tls failed", within=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    "fault, reason",
    [("expired", "expired at"), ("text", "cannot read the certificate: no start line")],
)
def test_certificate_that_cannot_be_used_is_named_with_the_reason(
    stage, certificate, fault, reason
):
    bad = Certificate(stage.directory, "bad", names="DNS:a.example", days=-1)
    if fault == "text":
        bad.path.write_text("not a certificate\n")
    path = stage.directory / "varde.yaml"
    path.write_text(f"tls: {{{certificate.yaml}, certificates: [{{{bad.yaml}}}]}}\n")
    flags = ("--config", str(path), "--listen", "127.0.0.1:0")
    for command in ("check-config", "serve"):
        database = str(stage.directory / f"{command}.sqlite")
        process = stage.run(command, command, *flags, "--database", database)
        assert process.wait(within=PATIENCE_SECONDS) > 0
        assert str(bad.path) in process.log and reason in process.log, process.log
        assert len(process.log.splitlines()) < 10, process.log


def test_certificate_in_use_is_logged_with_its_names_and_end(stage):
    fresh = Certificate(stage.directory, "fresh", names="DNS:fresh.example", days=1)
    hub = start(stage, f"{{{fresh.yaml}}}")
    said = hub.process.wait_for_log(r"\bcertificate file=.*", within=PATIENCE_SECONDS)[0]
    assert f"file={fresh.path}" in said and "names=fresh.example" in said and "until=2" in said
    assert "needs renewal" not in hub.log


# Whether the end of the stream comes in one read with what is before it, or after it.
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("path", ["/echo", "/connection/websocket"])
def test_close_frame_before_the_end_of_the_stream_is_answered(stage, certificate, path, together):
    hub = start(stage, f"{{{certificate.yaml}}}", flags=["--echo"])
    with Records(hub.port, certificate.trusting_context()) as peer:
        peer.write(handshake(path))
        assert peer.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")
        peer.write(MASKED_CLOSE, sends=not together)
        peer.close_notify()
        assert peer.read_all() == CLOSE


@pytest.mark.parametrize("path", ["/echo", "/connection/websocket", "/events?topics=news:a"])
def test_end_of_the_stream_is_answered_with_close_notify(stage, certificate, path):
    news = "namespaces: [{name: news, anonymous_subscribe: true}]\n"
    hub = start(stage, f"{{{certificate.yaml}}}", news, flags=["--echo"])
    with Records(hub.port, certificate.trusting_context()) as peer:
        peer.write(handshake(path))
        assert peer.read_until(b"\r\n\r\n").split(b" ")[1] in (b"101", b"200")
        peer.close_notify()
        peer.read_all()


MASKED_CLOSE = b"\x88\x82\0\0\0\0\x03\xe8"
CLOSE = b"\x88\x02\x03\xe8"


def handshake(path):
    fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    if path.startswith("/events"):
        fields = ""
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" if fields else ""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}{key}\r\n".encode()


class Records:
    """A TLS client that decides which records leave in one write."""

    def __init__(self, port, context):
        self.plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def __enter__(self):
        self.carry_out(self.session.do_handshake)
        return self

    def __exit__(self, *error):
        self.plain.close()

    def write(self, data, *, sends=True):
        self.session.write(data)
        if sends:
            self.send()

    def close_notify(self):
        """Sent, and not waited for the peer's."""
        with pytest.raises(ssl.SSLWantReadError):
            self.session.unwrap()
        self.send()

    def read_until(self, mark):
        data = b""
        while mark not in data:
            data += self.carry_out(lambda: self.session.read(1 << 16))
        return data

    def read_all(self):
        """What comes up to the peer's close_notify; an end of the stream before it is an error."""
        data = b""
        while True:
            try:
                piece = self.carry_out(lambda: self.session.read(1 << 16))
            except ssl.SSLZeroReturnError:
                piece = b""
            if not piece:
                return data
            data += piece

    def send(self):
        self.plain.sendall(self.outgoing.read())

    def carry_out(self, action):
        while True:
            try:
                return action()
            except ssl.SSLWantReadError:
                self.send()
                received = self.plain.recv(1 << 16)
                assert received, "the stream ended without close_notify"
                self.incoming.write(received)
            finally:
                self.send()


def start(stage, tls, more="", flags=()):
    hub = stage.hub()
    hub.configure(f"tls: {tls}\n{more}")
    hub.start(*flags)
    return hub


def connect(port, context, *, name="localhost", session=None):
    plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    try:
        return context.wrap_socket(plain, server_hostname=name, session=session)
    except BaseException:
        plain.close()
        raise


def https(port, context):
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)


def answers(connection):
    connection.request("GET", "/livez")
    response = connection.getresponse()
    response.read()
    return response.status == 200


def doubting_context():
    """Takes any certificate, to look at it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
