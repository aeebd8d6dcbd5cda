import COpenSSL
import Expectations

@testable import Reactor

@Suite("TLS resumption by ticket, RFC 8446 §2.2 and RFC 5077", .timeLimit(.minutes(10)))
struct TLSResumptionTests {
    private let identity: TLSTestIdentity

    init() throws {
        identity = try TLSTestIdentity()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func clientResumesWithItsTicket(version: TLSVersion) throws {
        let server = try identity.server()
        let client = try identity.clientContext(versions: version...version)
        let first = try pair(server, client)
        expect(!first.server.isResumed)
        let ticket = Ticket(of: first.client)
        let second = try pair(server, client, ticket)
        expectEqual(second.server.state, .open)
        expectEqual(second.client.state, .open)
        expect(second.server.isResumed)
        expect(second.client.isResumed)
        expectNil(second.client.send([1, 2]))
        exchange(second.client, second.server)
        expectEqual(second.server.received, [1, 2])
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func resumedClientGetsATicketForTheNextTime(version: TLSVersion) throws {
        let server = try identity.server()
        let client = try identity.clientContext(versions: version...version)
        var ticket = Ticket(of: try pair(server, client).client)
        for _ in 0..<3 {
            let resumed = try pair(server, client, ticket)
            expect(resumed.server.isResumed)
            let next = Ticket(of: resumed.client)
            expect(next.bytes != ticket.bytes)
            ticket = next
        }
    }

    @Test func ticketOutlivesTheLoadingOfCertificates() throws {
        let server = try identity.server()
        let client = try identity.clientContext()
        let ticket = Ticket(of: try pair(server, client).client)
        try server.reload(now: presentTime())
        try expect(pair(server, client, ticket).server.isResumed)
    }

    @Test func ticketIsAcceptedUnderEveryCertificate() throws {
        let other = try TLSTestIdentity(names: "DNS:other.example")
        let settings = TLSServerSettings(certificates: [identity.files, other.files])
        let server = try TLSServer(settings, now: presentTime())
        let client = try TLSContext(clientTrusting: .insecureForTests)
        let first = try pair(server, client, hostName: "other.example")
        let ticket = Ticket(of: first.client)
        try expect(pair(server, client, ticket, hostName: "other.example").server.isResumed)
        // Nothing of a certificate is shown on resumption: the client has to know what it does.
        try expectEqual(pair(server, client, ticket).server.state, .open)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func ticketOfAnotherServerMeansAFullHandshake(version: TLSVersion) throws {
        let client = try identity.clientContext(versions: version...version)
        let ticket = Ticket(of: try pair(identity.server(), client).client)
        let second = try pair(identity.server(), client, ticket)
        expectEqual(second.server.state, .open)
        expect(!second.server.isResumed)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func changedTicketMeansAFullHandshake(version: TLSVersion) throws {
        let server = try identity.server()
        let client = try identity.clientContext(versions: version...version)
        let ticket = Ticket(of: try pair(server, client).client)
        let bytes = ticket.bytes
        // The name of the key, the initialisation vector, the session, the code at the end.
        for position in [0, 16, 40, bytes.count - 1] {
            let second = try pair(server, client, ticket.changed(at: position))
            expectEqual(second.server.state, .open, "byte \(position)")
            expect(!second.server.isResumed, "byte \(position)")
        }
    }

    @Test func ticketLivesForOnePeriodAndAllowsNoEarlyData() throws {
        let ticket = Ticket(of: try pair(identity.server(), identity.clientContext()).client)
        let lifetime = SSL_SESSION_get_ticket_lifetime_hint(ticket.session)
        expectEqual(Int64(lifetime), TLSTicketKeyRing.period.components.seconds)
        expectEqual(SSL_SESSION_get_max_early_data(ticket.session), 0)
    }

    @Test func clientWithCertificateShowsItAgainAfterLoading() throws {
        var settings = TLSServerSettings(certificates: [identity.files])
        settings.clientCertificates = .required(authorities: identity.certificateFile)
        let server = try TLSServer(settings, now: presentTime())
        let client = try identity.clientContext()
        let ticket = Ticket(of: try pair(server, client, certificate: identity.files).client)
        try expect(pair(server, client, ticket).server.isResumed)
        try server.reload(now: presentTime())
        let without = try pair(server, client, ticket)
        expectEqual(without.server.failure?.message, "peer did not return a certificate")
        let with = try pair(server, client, ticket, certificate: identity.files)
        expectEqual(with.server.state, .open)
        expect(!with.server.isResumed)
    }

    private func pair(
        _ server: TLSServer,
        _ client: TLSContext,
        _ ticket: Ticket? = nil,
        hostName: String = "localhost",
        certificate: TLSCertificateFiles? = nil
    ) throws -> (client: TLSTestPeer, server: TLSTestPeer) {
        try connectedPair(server: server.context, client: client, hostName: hostName) { ssl in
            if let ticket { SSL_set_session(ssl, ticket.session) }
            if let certificate { use(certificate, in: ssl) }
        }
    }
}

/// A client's SSL_SESSION with the ticket it was given last.
private final class Ticket {
    let session: OpaquePointer

    private init(_ session: OpaquePointer) {
        self.session = session
    }

    /// A copy: OpenSSL gives up the session of a connection that ends without close_notify.
    convenience init(of client: TLSTestPeer) {
        self.init(SSL_SESSION_dup(SSL_get_session(client.session.ssl)))
    }

    deinit {
        SSL_SESSION_free(session)
    }

    var bytes: [UInt8] {
        var start: UnsafePointer<UInt8>?
        var length = 0
        SSL_SESSION_get0_ticket(session, &start, &length)
        return Array(UnsafeBufferPointer(start: start, count: length))
    }

    /// The same session with another bit in its ticket.
    func changed(at position: Int) -> Ticket {
        var encoded = [UInt8](repeating: 0, count: Int(i2d_SSL_SESSION(session, nil)))
        encoded.withUnsafeMutableBufferPointer { buffer in
            var output = buffer.baseAddress
            i2d_SSL_SESSION(session, &output)
        }
        let ticket = bytes
        let start = encoded.indices.first { encoded[$0...].starts(with: ticket) }
        encoded[start! + position] ^= 1
        return encoded.withUnsafeBufferPointer { buffer in
            var input = buffer.baseAddress
            return Ticket(d2i_SSL_SESSION(nil, &input, buffer.count))
        }
    }
}
