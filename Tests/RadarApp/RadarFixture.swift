import Configuration
import ConfigurationTesting
import LoopTesting
import Loops
import TokenTesting

@testable import RadarApp

/// Two radars of user `1`: `open` for everybody, `own` for the user alone. The keys of their namespace are
/// as open as can be, and must not matter.
struct RadarFixture: Sendable {
    static let namespaces =
        LoopFixture.namespaces + [
            Configuration.Namespace("radar") {
                $0.publish = .anyone
                $0.historySize = 10
            }
        ]

    let hub: LoopFixture
    let tokens: TestTokens
    let radars: RadarDirectory

    /// A handshake for a radar's socket.
    func handshake(
        _ id: String,
        token: String? = nil,
        _ fields: String...
    ) async throws -> (client: LoopTestClient, head: LoopTestClient.Response) {
        let client = try hub.connect()
        let credentials = token.map { ["Authorization: Bearer \($0)"] } ?? []
        try await client.send(webSocketRequest("/api/ws/radar/\(id)", credentials + fields))
        return (client, try await client.receiveHead())
    }

    /// A radar's socket that was let in.
    func socket(_ id: String, token: String? = nil) async throws -> LoopTestClient {
        let (client, head) = try await handshake(id, token: token)
        guard head.status == 101 else {
            throw LoopTestClient.Failure.unexpected("status \(head.status)")
        }
        return client
    }

    /// An event stream, behind its preamble.
    func stream(_ query: String, _ fields: String...) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.send(httpRequest("GET", "/events?topics=\(query)", fields))
        guard try await client.receiveHead().status == 200 else {
            throw LoopTestClient.Failure.unexpected("no stream")
        }
        _ = try await client.receive(through: "\n\n")
        return client
    }

    /// A reader of CloudEvents, before its first event.
    func cloudEvents(_ query: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        let offer = "Sec-WebSocket-Protocol: cloudevents.json"
        try await client.send(webSocketRequest("/events?topics=\(query)", [offer]))
        guard try await client.receiveHead().status == 101 else {
            throw LoopTestClient.Failure.unexpected("no handshake")
        }
        return client
    }

    func client(_ user: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        _ = try await client.connectSession(token: try tokens.connection(user))
        return client
    }
}

func withRadars(
    loops: Int = 1,
    _ change: (inout LoopSettings) -> Void = { _ in },
    shared: HubShared = HubShared(),
    _ body: (RadarFixture) async throws -> Void
) async throws {
    let tokens = try await TestTokens()
    let radars = RadarDirectory([
        "open": RadarDirectory.Entry(owner: "1", isPublic: true),
        "own": RadarDirectory.Entry(owner: "1", isPublic: false),
    ])
    try await withLoops(
        loops: loops,
        change,
        namespaces: RadarFixture.namespaces,
        topicRules: ["radar": RadarTopicRules(radars: radars)],
        sockets: [.radar()],
        reserved: .reserved,
        verifier: tokens.verifier,
        shared: shared
    ) { hub in
        try await body(RadarFixture(hub: hub, tokens: tokens, radars: radars))
    }
}
