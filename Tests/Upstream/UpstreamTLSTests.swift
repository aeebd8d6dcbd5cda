import COpenSSL
import Expectations
import Reactor
import TLSTesting

@testable import Upstream

@Suite("TLS to upstreams", .timeLimit(.minutes(10)))
struct UpstreamTLSTests {
    @Test func certificateOfTheAuthorityIsBelieved() async throws {
        try await withTLS("DNS:server.test") { client, port in
            let url = try UpstreamURL("https://server.test:\(port)/a")
            try await expectEqual(client.send(UpstreamRequest("GET", url)).text, "/a server.test")
        }
    }

    /// The root's dot is no part of the name in a certificate.
    @Test func dotAtTheEndIsNoPartOfTheName() async throws {
        try await withTLS("DNS:server.test") { client, port in
            let url = try UpstreamURL("https://server.test.:\(port)/a")
            try await expectEqual(client.send(UpstreamRequest("GET", url)).text, "/a server.test")
        }
    }

    @Test func certificateForAnAddressIsBelieved() async throws {
        try await withTLS("IP:127.0.0.1") { client, port in
            let url = try UpstreamURL("https://127.0.0.1:\(port)/a")
            // RFC 6066 §3: "Literal IPv4 and IPv6 addresses are not permitted" as a server name.
            try await expectEqual(client.send(UpstreamRequest("GET", url)).text, "/a none")
        }
    }

    @Test(arguments: ["DNS:127.0.0.1", "IP:127.0.0.2", "DNS:localhost"])
    func certificateForAnotherAddressIsRefused(names: String) async throws {
        try await expectRefusal(names, host: "127.0.0.1", text: "address mismatch")
    }

    @Test(arguments: [
        ("DNS:*.server.test", "a.server.test", true),
        ("DNS:*.server.test", "a.b.server.test", false),
        ("DNS:*.server.test", "server.test", false),
        ("DNS:other.test,DNS:server.test", "server.test", true),
        ("DNS:other.test", "server.test", false),
        ("DNS:test", "server.test", false),
        ("IP:127.0.0.1", "server.test", false),
    ])
    func nameIsChecked(names: String, host: String, isBelieved: Bool) async throws {
        guard isBelieved else {
            return try await expectRefusal(names, host: host, text: "hostname mismatch")
        }
        try await withTLS(names) { client, port in
            let url = try UpstreamURL("https://\(host):\(port)/")
            try await expectEqual(client.send(UpstreamRequest("GET", url)).status, 200)
        }
    }

    @Test(arguments: [
        (-7200 ... -3600, "expired"), (3600...7200, "not yet valid"),
    ])
    func validityIsChecked(validity: ClosedRange<Int>, text: String) async throws {
        try await expectRefusal("DNS:server.test", validity: validity, text: text)
    }

    @Test func selfSignedCertificateIsRefused() async throws {
        try await expectRefusal("DNS:server.test", isSelfSigned: true, text: "self-signed")
    }

    @Test func systemDoesNotBelieveTheAuthorityOfATest() async throws {
        try await expectRefusal("DNS:server.test", trust: .system, text: "certificate")
    }

    @Test func oldVersionOfTLSIsRefused() async throws {
        let authority = try TLSTestIdentity(isAuthority: true)
        let identity = try TLSTestIdentity(names: "DNS:server.test", issuer: authority)
        let tls = try ServerTLS(identity, versionMax: TLS1_1_VERSION)
        try await withServer(tls: tls, echo) { server in
            try await withTLSClient(authority) { client in
                let url = try UpstreamURL("https://server.test:\(server.port)/")
                guard case .tlsFailed = await client.failure(UpstreamRequest("GET", url)) else {
                    Issue.record("not refused")
                    return
                }
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-x\r\n",
        "\u{15}\u{3}\u{1}",
    ])
    func plainTextOnTheTLSPortIsAnError(text: String) async throws {
        let serve: HostileServer.Serve = { connection in
            _ = connection.read()
            connection.write(text)
        }
        try await withServer(serve) { server in
            try await withTLSClient(try TLSTestIdentity()) { client in
                let url = try UpstreamURL("https://server.test:\(server.port)/")
                guard case .tlsFailed = await client.failure(UpstreamRequest("GET", url)) else {
                    Issue.record("no error of TLS")
                    return
                }
            }
        }
    }

    @Test func plainRequestOnTheTLSPortIsAnError() async throws {
        let tls = try ServerTLS(try TLSTestIdentity())
        try await withServer(tls: tls, echo) { server in
            try await withClient { client in
                let error = await client.failure(try .get(server))
                switch error {
                case .connectionEnded, .malformed: break
                default: Issue.record("\(String(describing: error))")
                }
            }
        }
    }

    @Test func fileOfAuthoritiesThatIsNotThereIsAnError() async throws {
        try await withServer(echo) { server in
            try await withClient { settings in
                settings.trust = .file("/nonexistent/authorities.pem")
            } _: { client in
                let url = try UpstreamURL("https://127.0.0.1:\(server.port)/")
                guard case .tlsFailed = await client.failure(UpstreamRequest("GET", url)) else {
                    Issue.record("no error of TLS")
                    return
                }
            }
        }
    }

    private func expectRefusal(
        _ names: String,
        host: String = "server.test",
        validity: ClosedRange<Int> = -3600...3600,
        isSelfSigned: Bool = false,
        trust: TLSTrust? = nil,
        text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withTLS(
            names,
            validity: validity,
            isSelfSigned: isSelfSigned,
            trust: trust
        ) { client, port in
            let url = try UpstreamURL("https://\(host):\(port)/")
            let error = await client.failure(UpstreamRequest("GET", url))
            guard case .tlsFailed(let found) = error else {
                Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                return
            }
            expect(found.lowercased().contains(text), sourceLocation: sourceLocation)
        }
    }

    /// A server that answers with the target and the name that it was asked for.
    private func withTLS(
        _ names: String,
        validity: ClosedRange<Int> = -3600...3600,
        isSelfSigned: Bool = false,
        trust: TLSTrust? = nil,
        _ body: (UpstreamClient, UInt16) async throws -> Void
    ) async throws {
        let authority = try TLSTestIdentity(isAuthority: true)
        let identity = try TLSTestIdentity(
            names: names,
            validity: validity,
            issuer: isSelfSigned ? nil : authority
        )
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                connection.write(answer("\(request.target) \(connection.serverName ?? "none")"))
            }
        }
        try await withServer(tls: try ServerTLS(identity), serve) { server in
            try await withTLSClient(authority, trust: trust) { client in
                try await body(client, server.port)
            }
        }
    }
}

/// A client that finds every name on 127.0.0.1.
private func withTLSClient(
    _ authority: TLSTestIdentity,
    trust: TLSTrust? = nil,
    _ body: (UpstreamClient) async throws -> Void
) async throws {
    try await withClient(resolver: StubResolver("127.0.0.1")) { settings in
        settings.trust = trust ?? .file(authority.certificateFile)
    } _: { client in
        try await body(client)
    }
}

@Suite("Resumption of TLS sessions", .timeLimit(.minutes(10)))
struct UpstreamResumptionTests {
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func furtherConnectionResumesTheSession(version: Int32) async throws {
        try await withResumption(version: version) { client, port, _, log in
            for _ in 0..<3 { try await send(client, port) }
            expectEqual(log.targets[..<2], ["full", "resumed"])
            if version == TLS1_3_VERSION { expectEqual(log.targets[2], "resumed") }
        }
    }

    @Test func hostDoesNotResumeTheSessionOfAnother() async throws {
        try await withResumption { client, port, _, log in
            try await send(client, port, host: "a.server.test")
            try await send(client, port, host: "b.server.test")
            try await send(client, port, host: "a.server.test")
            expectEqual(log.targets, ["full", "full", "resumed"])
        }
    }

    @Test func clientDoesNotResumeTheSessionOfAnother() async throws {
        try await withResumption { client, port, loop, log in
            try await send(client, port)
            var settings = UpstreamClient.Settings()
            settings.trust = .file(log.tls.identity.certificateFile)
            let other = UpstreamClient(settings, on: loop)
            try await send(other, port)
            expectEqual(log.targets, ["full", "full"])
        }
    }

    @Test func ticketIsForOneConnection() async throws {
        try await withResumption { client, port, _, log in
            try await send(client, port)
            // The one ticket is taken by the first of them; none of them has another yet.
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { try await self.send(client, port, target: "/held") }
                }
                await log.held.wait(for: 4)
                log.gate.open()
                try await group.waitForAll()
            }
            expectEqual(log.targets.sorted(), ["full", "full", "full", "full", "resumed"])
        }
    }

    /// The session that was resumed still has the ticket that it was resumed with.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func ticketIsNotUsedAgainWhenTheServerSendsNoOther(version: Int32) async throws {
        try await withResumption(version: version) { client, port, _, log in
            try await send(client, port)
            log.tls.stopTickets()
            try await send(client, port)
            try await send(client, port)
            expectEqual(log.targets, ["full", "resumed", "full"])
        }
    }

    private final class Handshakes: Sendable {
        let log = RequestLog()
        let held = Counter()
        let gate = Gate()
        let tls: ServerTLS

        init(_ tls: ServerTLS) { self.tls = tls }

        var targets: [String] { log.targets }
    }

    private func send(
        _ client: UpstreamClient,
        _ port: UInt16,
        host: String = "server.test",
        target: String = "/"
    ) async throws {
        let url = try UpstreamURL("https://\(host):\(port)\(target)")
        try await expectEqual(client.send(UpstreamRequest("GET", url)).text, "x")
    }

    /// A server that ends every connection after an answer.
    private func withResumption(
        version: Int32 = TLS1_3_VERSION,
        _ body: (UpstreamClient, UInt16, UpstreamLoop, Handshakes) async throws -> Void
    ) async throws {
        let identity = try TLSTestIdentity(
            names: "DNS:server.test,DNS:a.server.test,DNS:b.server.test"
        )
        let handshakes = Handshakes(try ServerTLS(identity, versionMax: version))
        let serve: HostileServer.Serve = { connection in
            handshakes.log.append(connection.isResumed ? "resumed" : "full")
            guard let request = connection.readRequest() else { return }
            if request.target == "/held" {
                handshakes.held.increment()
                handshakes.gate.waitBlocking()
            }
            connection.write(answer("x", fields: "Connection: close\r\n"))
        }
        try await withServer(tls: handshakes.tls, serve) { server in
            try await withLoop(resolver: StubResolver("127.0.0.1")) { settings in
                settings.trust = .file(identity.certificateFile)
            } _: { loop, client in
                try await body(client, server.port, loop, handshakes)
            }
        }
    }
}
