import Expectations
import HubTesting
import LoopTesting
import Loops
import Radar
import Store
import TokenTesting

@testable import RadarApp

/// Radars in a store, and loops to which it tells its commits.
private struct LiveRadars: Sendable {
    let service: RadarService
    let door: RadarSocketDoor
    let loops: LoopFixture
    let tokens: TestTokens

    static func run(
        loops: Int = 2,
        _ change: (inout RadarSection) -> Void = { _ in },
        _ body: (LiveRadars) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await RadarHub.run { hub in
            let service = try await hub.service([], change)
            let door = RadarSocketDoor(service.directory)
            door.connect(service)
            defer { door.connect(nil) }
            try await withLoops(
                loops: loops,
                namespaces: RadarFixture.namespaces,
                topicRules: ["radar": RadarTopicRules(radars: service.directory)],
                sockets: [.radar(door)],
                reserved: .reserved,
                verifier: tokens.verifier
            ) { loops in
                hub.follower.withLock { $0 = { loops.transport.publish($0) } }
                service.connect(loops.transport)
                defer {
                    service.connect(nil)
                    hub.follower.withLock { $0 = nil }
                }
                try await body(
                    LiveRadars(service: service, door: door, loops: loops, tokens: tokens)
                )
            }
        }
    }

    func handshake(
        _ target: String,
        token: String? = nil
    ) async throws -> (client: LoopTestClient, status: Int) {
        let client = try loops.connect()
        let fields = token.map { ["Authorization: Bearer \($0)"] } ?? []
        try await client.send(webSocketRequest("/api/ws/radar/\(target)", fields))
        return (client, try await client.receiveHead().status)
    }

    func socketToken(of radar: RadarState, _ grant: RadarSocketTokens.Grant = .init()) -> String? {
        service.socketTokens.token(
            of: radar.id,
            owner: radar.userID,
            grant,
            now: HubClock.wall
        )
    }
}

@Suite("Loop: how a radar's socket opens", .timeLimit(.minutes(10)))
struct LoopRadarOpeningTests {
    @Test func radarComesFirstAndUpdatesFollow() async throws {
        try await LiveRadars.run { radars in
            let radar = try await radars.service.createRadar(isPublic: true)
            let (client, status) = try await radars.handshake(radar.id)
            expectEqual(status, 101)
            expectEqual(text("type", in: try await client.receiveText()), "refresh")
            let opinion = try await radars.service.push("for", to: radar.id)
            let message = try await client.receiveText()
            expectEqual(text("type", in: message), "newOpinion")
            expectEqual(text("cursor", in: message), opinion.id)
        }
    }

    /// Sockets open all the time while opinions come. What each has of the radar at first, and what follows, are
    /// together all of them, each once.
    @Test func nothingIsMissedAndNothingComesTwice() async throws {
        try await LiveRadars.run { radars in
            let id = try await radars.service.createRadar(isPublic: true).id
            // As many as a radar carries along.
            let count = RadarLimits.opinionsShown
            let authors = (0..<count).map { "author-\($0)" }
            let seen = try await withThrowingTaskGroup(
                of: [String]?.self,
                returning: [[String]].self
            ) { group in
                group.addTask {
                    for author in authors {
                        _ = try await radars.service.push("for", author: author, to: id)
                    }
                    return nil
                }
                for _ in 0..<12 {
                    group.addTask { try await Self.authors(count, of: id, radars) }
                }
                return try await group.reduce(into: []) { if let seen = $1 { $0.append(seen) } }
            }
            expectEqual(seen.count, 12)
            for each in seen { expectEqual(each, authors) }
        }
    }

    /// The authors of the first so many opinions, in the order in which a socket gets them.
    private static func authors(
        _ count: Int,
        of id: String,
        _ radars: LiveRadars
    ) async throws -> [String] {
        let (client, _) = try await radars.handshake(id)
        var authors: [String] = []
        while authors.count < count {
            let message = try await client.receiveText()
            let found = message.components(separatedBy: #""author":""#).dropFirst()
                .map { String($0.prefix { $0 != "\"" }) }
            // The newest comes first in the radar.
            authors += found.reversed()
        }
        return authors
    }

    @Test func readerWhoComesBackGetsWhatItHasMissed() async throws {
        try await LiveRadars.run { radars in
            let id = try await radars.service.createRadar(isPublic: true).id
            let first = try await radars.service.push("for", author: "a", to: id)
            let second = try await radars.service.push("for", author: "b", to: id)
            let (client, _) = try await radars.handshake("\(id)?since=\(first.id)")
            let missed = try await client.receiveText()
            expectEqual(text("type", in: missed), "newOpinion")
            expectEqual(text("cursor", in: missed), second.id)
            try await expect(client.receiveText().hasSuffix(#""recovered":true}"#))
        }
    }

    @Test(arguments: ["", "x", "018f_", String(repeating: "a", count: 65)])
    func positionThatIsNoneIsRefused(since: String) async throws {
        try await LiveRadars.run { radars in
            let id = try await radars.service.createRadar(isPublic: true).id
            try await expectEqual(radars.handshake("\(id)?since=\(since)").status, 400)
            let longest = String(repeating: "a", count: 64)
            try await expectEqual(radars.handshake("\(id)?since=\(longest)").status, 101)
        }
    }

    @Test func socketIsClosedIfTheRadarIsDeletedBeforeItOpens() async throws {
        try await LiveRadars.run { radars in
            let radar = try await radars.service.createRadar(isPublic: true)
            let (begun, waiting) = AsyncStream<Void>.makeStream()
            let gate = Gate()
            // The radar's turn is taken, so the socket has to wait with its first message.
            let turn = Task {
                try await radars.service.execution.run(radar.id) {
                    waiting.yield()
                    await gate.wait()
                }
            }
            _ = await begun.first { _ in true }
            let (client, status) = try await radars.handshake(radar.id)
            expectEqual(status, 101)
            let deletion = Task { try await radars.service.delete(radar.id) }
            gate.open()
            try await turn.value
            try await deletion.value
            // Either the radar was read before its end, or not.
            var frame = try await client.receiveFrame()
            if frame.opcode == LoopTestClient.Frame.text {
                frame = try await client.receiveFrame()
            }
            expectEqual(frame.opcode, LoopTestClient.Frame.close)
            expectEqual(Array(frame.payload.prefix(2)), [3, 232])
        }
    }

    @Test func socketIsClosedWhereNoServiceRuns() async throws {
        try await LiveRadars.run { radars in
            let id = try await radars.service.createRadar(isPublic: true).id
            radars.door.connect(nil)
            let (client, status) = try await radars.handshake(id)
            expectEqual(status, 101)
            try await expect(client.receiveClose() == (1001, "shutdown"))
        }
    }

    // MARK: Tokens

    @Test func socketTokenOpensThePrivateRadarThatItIsFor() async throws {
        try await LiveRadars.run { radars in
            let own = try await radars.service.createRadar(by: "1")
            let other = try await radars.service.createRadar(by: "1")
            let token = try require(radars.socketToken(of: own))
            try await expectEqual(radars.handshake("\(own.id)?token=\(token)").status, 101)
            try await expectEqual(radars.handshake("\(other.id)?token=\(token)").status, 401)
            try await expectEqual(radars.handshake("gone?token=\(token)").status, 401)
            // It is nothing but a parameter of this socket.
            try await expectEqual(radars.handshake(own.id, token: token).status, 401)
            try await radars.service.delete(own.id)
            try await expectEqual(radars.handshake("\(own.id)?token=\(token)").status, 401)
        }
    }

    @Test func socketOfASocketTokenIsItsOwners() async throws {
        try await LiveRadars.run(loops: 1) { radars in
            let own = try await radars.service.createRadar(isPublic: true, by: "1")
            let token = try require(radars.socketToken(of: own))
            let (owners, _) = try await radars.handshake("\(own.id)?token=\(token)")
            let (others, _) = try await radars.handshake(own.id)
            for client in [owners, others] { _ = try await client.receiveText() }
            // Others may not read it any more.
            _ = try await radars.service.setPublic(false, of: own.id)
            try await expectEqual(others.receiveClose().code, 1000)
            _ = try await radars.service.push("for", to: own.id)
            expectEqual(text("type", in: try await owners.receiveText()), "newOpinion")
        }
    }

    @Test func socketEndsWithTheAccessTokenBehindItsToken() async throws {
        try await LiveRadars.run(loops: 1) { radars in
            let own = try await radars.service.createRadar(by: "1")
            let grant = RadarSocketTokens.Grant(endsAt: HubClock.wall + .seconds(600))
            let token = try require(radars.socketToken(of: own, grant))
            let (client, _) = try await radars.handshake("\(own.id)?token=\(token)")
            _ = try await client.receiveText()
            await radars.loops.loops[0].letTimePass(.seconds(601))
            try await expect(client.receiveClose() == (1008, "connection expired"))
        }
    }
}

/// Opens once.
private final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
