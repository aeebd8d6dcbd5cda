import COpenSSL
import Expectations

@testable import Reactor

@Suite(
    "TLS server: certificates by name, client certificates, loading anew",
    .timeLimit(.minutes(10))
)
struct TLSServerTests {
    private let identity: TLSTestIdentity
    private let anyone: TLSContext

    init() throws {
        identity = try TLSTestIdentity(names: "DNS:localhost,DNS:default.example")
        anyone = try TLSContext(clientTrusting: .insecureForTests)
    }

    // MARK: - Names, RFC 6066 §3

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func clientGetsTheCertificateForTheNameItAsksFor(version: TLSVersion) throws {
        let exact = try TLSTestIdentity(names: "DNS:hub.example.org")
        let wildcard = try TLSTestIdentity(names: "DNS:*.example.org", keyKind: .ed25519)
        let server = try server(identity, exact, wildcard)
        let expected = [
            "hub.example.org": ["hub.example.org"], "any.example.org": ["*.example.org"],
            "a.b.example.org": ["localhost", "default.example"],
            "elsewhere.example": ["localhost", "default.example"],
            "127.0.0.1": ["localhost", "default.example"],
        ]
        let client = try TLSContext(
            clientTrusting: .insecureForTests,
            versions: version...version
        )
        for (name, names) in expected {
            let pair = try connectedPair(server: server.context, client: client, hostName: name)
            expectEqual(pair.server.state, .open, "\(name)")
            expectEqual(namesShown(to: pair.client), names, "\(name)")
            expectEqual(pair.client.applicationProtocol, "http/1.1", "\(name)")
        }
    }

    @Test func everyCertificateHasTheSameRules() throws {
        let other = try TLSTestIdentity(names: "DNS:other.example")
        let server = try server(identity, other)
        let h2 = try TLSContext(clientTrusting: .insecureForTests, alpn: ["h2"])
        for name in ["localhost", "other.example"] {
            let refused = try connectedPair(server: server.context, client: h2, hostName: name)
            expectEqual(refused.client.failure?.message.contains("no application protocol"), true)
            let pair = try connectedPair(server: server.context, client: anyone, hostName: name)
            expectEqual(cipher(of: pair.client), "TLS_AES_128_GCM_SHA256")
        }
    }

    @Test func furtherCertificateWithoutNamesIsRefused() throws {
        let nameless = try TLSTestIdentity(names: "IP:127.0.0.1")
        let error = #expect(throws: TLSError.self) { try server(identity, nameless) }
        expectEqual(error?.message, "the certificate names no host to choose it by")
        expectEqual(error?.context, nameless.certificateFile)
        _ = try server(nameless, identity)
    }

    @Test func furtherCertificateIsCheckedLikeTheFirst() throws {
        let expired = try TLSTestIdentity(names: "DNS:a.example", validity: -7200 ... -3600)
        let error = #expect(throws: TLSError.self) { try server(identity, expired) }
        expectEqual(error?.context, expired.certificateFile)
        expectEqual(error?.message.hasPrefix("the certificate expired at "), true)
    }

    // MARK: - Client certificates

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func requiredCertificateOpensTheServer(version: TLSVersion) throws {
        let client = try TLSTestIdentity(names: "DNS:client")
        let server = try serverRequiring(client)
        let known = try connect(to: server, with: client, version)
        expectEqual(known.server.state, .open)
        expectNil(known.client.send([1]))
        exchange(known.client, known.server)
        expectEqual(known.server.received, [1])
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func clientWithoutRequiredCertificateIsRefused(version: TLSVersion) throws {
        let server = try serverRequiring(TLSTestIdentity())
        let pair = try connect(to: server, with: nil, version)
        expectEqual(pair.server.failure?.message, "peer did not return a certificate")
        expect(pair.client.failure != nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func clientWithUnknownCertificateIsRefused(version: TLSVersion) throws {
        let server = try serverRequiring(TLSTestIdentity())
        let pair = try connect(to: server, with: TLSTestIdentity(), version)
        let message = pair.server.failure?.message
        expectEqual(message, "certificate verify failed: self-signed certificate")
        expect(pair.client.failure != nil)
    }

    @Test func optionalCertificateMayBeLeftOutButNotBeWrong() throws {
        let client = try TLSTestIdentity()
        var settings = TLSServerSettings(certificates: [identity.files])
        settings.clientCertificates = .optional(authorities: client.certificateFile)
        let server = try TLSServer(settings, now: presentTime())
        try expectEqual(connect(to: server, with: nil).server.state, .open)
        try expectEqual(connect(to: server, with: client).server.state, .open)
        try expect(connect(to: server, with: TLSTestIdentity()).server.failure != nil)
    }

    @Test func clientIsAskedForNothingByDefault() throws {
        let pair = try connect(to: identity.server(), with: TLSTestIdentity())
        expectEqual(pair.server.state, .open)
        expectNil(SSL_get0_peer_certificate(pair.server.session.ssl))
    }

    @Test(arguments: ["/nonexistent/clients.pem", "not PEM"])
    func authoritiesThatCannotBeReadAreNamed(file: String) throws {
        let path = file.hasPrefix("/") ? file : identity.fileWithText(file)
        var settings = TLSServerSettings(certificates: [identity.files])
        settings.clientCertificates = .required(authorities: path)
        let error = #expect(throws: TLSError.self) {
            try TLSServer(settings, now: presentTime())
        }
        expectEqual(error?.context, path)
        expectEqual(error?.message.hasPrefix("cannot read the trusted certificates"), true)
    }

    // MARK: - Loading anew

    @Test func newConnectionGetsTheNewCertificateAndTheOldOneGoesOn() throws {
        let server = try identity.server()
        let early = try connectedPair(server: server.context, client: anyone)
        let halfway = try TLSTestPeer(server.context, .server)
        try identity.replace(names: "DNS:renewed.example")
        try server.reload(now: presentTime())

        let late = try connectedPair(server: server.context, client: anyone)
        expectEqual(namesShown(to: late.client), ["renewed.example"])
        expectNil(early.server.send([1, 2]))
        early.client.receive(early.server.takeOutput())
        expectEqual(early.client.received, [1, 2])
        let client = try TLSTestPeer(anyone, .client(hostName: "localhost"))
        client.session.startHandshake()
        exchange(client, halfway)
        expectEqual(namesShown(to: client), ["localhost", "default.example"])
    }

    @Test func failedLoadingChangesNothing() throws {
        let other = try TLSTestIdentity(names: "DNS:other.example")
        let server = try server(identity, other)
        let before = server.certificates
        try identity.replace(names: "DNS:renewed.example")
        // The last file of all: what comes before it is sound, and must not be used either.
        try other.replace(names: "DNS:other.example", validity: -7200 ... -3600)
        let error = #expect(throws: TLSError.self) { try server.reload(now: presentTime()) }
        expectEqual(error?.context, other.certificateFile)
        expectEqual(server.certificates, before)
        let pair = try connectedPair(server: server.context, client: anyone)
        expectEqual(namesShown(to: pair.client), ["localhost", "default.example"])
    }

    @Test func oldCertificatesAreForgottenWithTheirLastConnection() throws {
        let server = try identity.server()
        weak var old: TLSContext?
        do {
            let peer = try TLSTestPeer(server.context, .server)
            old = server.context
            try server.reload(now: presentTime())
            expect(old != nil)
            withExtendedLifetime(peer) {}
        }
        expectNil(old)
    }

    // MARK: - Fixture

    private func server(_ identities: TLSTestIdentity...) throws -> TLSServer {
        try TLSServer(
            TLSServerSettings(certificates: identities.map(\.files)),
            now: presentTime()
        )
    }

    private func serverRequiring(_ client: TLSTestIdentity) throws -> TLSServer {
        var settings = TLSServerSettings(certificates: [identity.files])
        settings.clientCertificates = .required(authorities: client.certificateFile)
        return try TLSServer(settings, now: presentTime())
    }

    private func connect(
        to server: TLSServer,
        with client: TLSTestIdentity?,
        _ version: TLSVersion = .tls13
    ) throws -> (client: TLSTestPeer, server: TLSTestPeer) {
        let context = try identity.clientContext(versions: version...version)
        return try connectedPair(server: server.context, client: context) { ssl in
            if let client { use(client.files, in: ssl) }
        }
    }

    private func namesShown(to client: TLSTestPeer) -> [String]? {
        guard let certificate = SSL_get0_peer_certificate(client.session.ssl) else { return nil }
        return try? TLSCertificate(certificate, file: "").names
    }
}
