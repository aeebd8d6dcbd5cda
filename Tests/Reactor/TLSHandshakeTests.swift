import Expectations

@testable import Reactor

@Suite("TLS handshake, RFC 8446 §4 and RFC 5246 §7", .timeLimit(.minutes(10)))
struct TLSHandshakeTests {
    @Test(arguments: [(TLSVersion.tls12, "TLSv1.2"), (.tls13, "TLSv1.3")])
    func bothSidesOpenInVersion(version: TLSVersion, name: String) throws {
        let (client, server) = try connectedPair(versions: version...version)
        expectEqual(client.state, .open)
        expectEqual(server.state, .open)
        expect(client.isHandshakeComplete)
        expect(server.isHandshakeComplete)
        expectEqual(client.protocolVersion, name)
        expectEqual(server.protocolVersion, name)
    }

    @Test func newestVersionIsChosen() throws {
        let (client, _) = try connectedPair()
        expectEqual(client.protocolVersion, "TLSv1.3")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func handshakeCompletesByteByByte(version: TLSVersion) throws {
        let identity = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(versions: version...version),
            .byteByByte
        )
        expectEqual(client.state, .open)
        expectEqual(server.state, .open)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func handshakeCompletesSplitAtEveryPosition(version: TLSVersion) throws {
        let identity = try TLSTestIdentity()
        let serverContext = try identity.serverContext()
        let clientContext = try identity.clientContext(versions: version...version)
        // The longest flight, the server's first.
        let server = try TLSTestPeer(serverContext, .server)
        let client = try TLSTestPeer(clientContext, .client(hostName: "localhost"))
        client.session.startHandshake()
        server.receive(client.takeOutput())
        let longest = server.takeOutput().count
        expect(longest > 500)
        for position in 1...longest {
            let pair = try connectedPair(
                server: serverContext,
                client: clientContext,
                .split(at: position)
            )
            try require(pair.client.state == .open, "split at \(position)")
            try require(pair.server.state == .open, "split at \(position)")
        }
    }

    @Test func serverRefusesTLS11WithProtocolVersionAlert() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        server.receive(clientHelloOfTLS11)
        expectEqual(server.failure?.message, "unsupported protocol")
        expectEqual(server.failure?.context, "tls handshake")
        // protocol_version(70), fatal(2): RFC 8446 §6.
        let records = try require(TLSRecord.all(in: server.takeOutput()))
        expectEqual(records, [TLSRecord(type: TLSRecord.alert, body: [2, 70])])
    }

    @Test func sidesWithoutCommonVersionRefuseEachOther() throws {
        let identity = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: identity.serverContext(versions: .tls13 ... .tls13),
            client: identity.clientContext(versions: .tls12 ... .tls12)
        )
        expectEqual(server.failure?.message, "unsupported protocol")
        expectEqual(client.failure?.message, "tlsv1 alert protocol version")
    }

    @Test func plainHTTPOnTLSPortFails() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        server.receive(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        expectEqual(server.failure?.message, "the peer speaks plain HTTP on a TLS port")
        expect(server.received.isEmpty)
    }

    @Test func plainTextFailsAtTheFifthByte() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        server.receive(Array("SSH-".utf8))
        expectEqual(server.state, .handshaking)
        server.receive(Array("2".utf8))
        expectEqual(server.failure?.message, "wrong version number")
    }

    @Test func failedSessionStaysFailed() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        server.receive(Array("GET / HTTP/1.1\r\n".utf8))
        let failure = server.failure
        _ = server.takeOutput()
        server.receive(clientHelloOfTLS11)
        expect(failure != nil)
        expectEqual(server.failure, failure)
        expect(server.takeOutput().isEmpty)
    }

    @Test func serverSendsOneTicket() throws {
        let identity = try TLSTestIdentity()
        let client = try TLSTestPeer(identity.clientContext(), .client(hostName: "localhost"))
        let server = try TLSTestPeer(identity.serverContext(), .server)
        client.session.startHandshake()
        server.receive(client.takeOutput())
        client.receive(server.takeOutput())
        server.receive(client.takeOutput())
        expectEqual(server.state, .open)
        expectEqual(TLSRecord.all(in: server.takeOutput())?.count, 1)
    }

    // MARK: - Certificate checks

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func clientRefusesCertificateOfAnotherHost(version: TLSVersion) throws {
        let identity = try TLSTestIdentity(names: "DNS:other.example,IP:127.0.0.1")
        let (client, server) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(versions: version...version)
        )
        expectEqual(client.failure?.message, "certificate verify failed: hostname mismatch")
        // The server hears of it by the client's alert.
        expectEqual(server.failure?.message.contains("alert bad certificate"), true)
    }

    @Test func clientRefusesUntrustedCertificate() throws {
        let trusted = try TLSTestIdentity()
        let presented = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: presented.serverContext(),
            client: trusted.clientContext()
        )
        expectEqual(client.failure?.message.hasPrefix("certificate verify failed: self"), true)
        expect(server.failure != nil)
        expect(client.received.isEmpty)
    }

    @Test func clientOfSystemTrustRefusesSelfSignedCertificate() throws {
        let (client, _) = try connectedPair(
            server: TLSTestIdentity().serverContext(),
            client: TLSContext(clientTrusting: .system)
        )
        expectEqual(client.failure?.message.hasPrefix("certificate verify failed"), true)
    }

    @Test func insecureClientAcceptsAnyCertificateAndHost() throws {
        let identity = try TLSTestIdentity(names: "DNS:other.example")
        let (client, server) = try connectedPair(
            server: identity.serverContext(),
            client: TLSContext(clientTrusting: .insecureForTests)
        )
        expectEqual(client.state, .open)
        expectEqual(server.state, .open)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func clientAcceptsCertificateOfItsAddress(address: String) throws {
        let identity = try TLSTestIdentity(names: "IP:127.0.0.1,IP:::1")
        let (client, _) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(),
            hostName: address
        )
        expectEqual(client.state, .open)
    }

    @Test func clientRefusesCertificateOfAnotherAddress() throws {
        let identity = try TLSTestIdentity(names: "IP:127.0.0.1")
        let (client, _) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(),
            hostName: "127.0.0.2"
        )
        expectEqual(client.failure?.message, "certificate verify failed: IP address mismatch")
    }

    @Test func clientAcceptsWholeLabelWildcardOnly() throws {
        let whole = try TLSTestIdentity(names: "DNS:*.example.org")
        let accepted = try connectedPair(
            server: whole.serverContext(),
            client: whole.clientContext(),
            hostName: "hub.example.org"
        )
        expectEqual(accepted.client.state, .open)

        let partial = try TLSTestIdentity(names: "DNS:h*.example.org")
        let refused = try connectedPair(
            server: partial.serverContext(),
            client: partial.clientContext(),
            hostName: "hub.example.org"
        )
        expect(refused.client.failure != nil)
    }

    @Test(arguments: ["", "local\u{0}host", String(repeating: "a", count: 300)])
    func clientRefusesToConnectToWhatIsNoHostName(name: String) throws {
        let context = try TLSContext(clientTrusting: .insecureForTests)
        let error = #expect(throws: TLSError.self) {
            _ = try TLSTestPeer(context, .client(hostName: name))
        }
        expectEqual(error?.message, "not a host name: \"\(name)\"")
    }

    // MARK: - ALPN, RFC 7301

    @Test func serverPrefersItsOwnOrderOfProtocols() throws {
        let identity = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: identity.serverContext(alpn: ["http/1.1", "other"]),
            client: identity.clientContext(alpn: ["other", "http/1.1"])
        )
        expectEqual(client.applicationProtocol, "http/1.1")
        expectEqual(server.applicationProtocol, "http/1.1")
    }

    @Test func serverRefusesClientThatNamesOnlyOtherProtocols() throws {
        let identity = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(alpn: ["h2"])
        )
        expect(server.failure != nil)
        expectEqual(client.failure?.message.contains("no application protocol"), true)
    }

    @Test func serverServesClientThatNamesNoProtocol() throws {
        let identity = try TLSTestIdentity()
        let (client, server) = try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(alpn: [])
        )
        expectEqual(server.state, .open)
        expectNil(server.applicationProtocol)
        expectNil(client.applicationProtocol)
    }
}

/// A ClientHello with client_version 3.2 and no extensions, RFC 4346 §7.4.1.2.
private let clientHelloOfTLS11: [UInt8] = {
    let random = [UInt8](repeating: 7, count: 32)
    // ECDHE_ECDSA_WITH_AES_128_CBC_SHA, ECDHE_RSA_WITH_AES_128_CBC_SHA; no compression.
    let hello = [3, 2] + random + [0, 0, 4, 0xC0, 0x09, 0xC0, 0x13, 1, 0]
    let handshake = [1, 0, 0, UInt8(hello.count)] + hello
    return [22, 3, 1, 0, UInt8(handshake.count)] + handshake
}()
