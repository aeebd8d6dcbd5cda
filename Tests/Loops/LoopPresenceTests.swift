import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

/// Who is in a topic is known to all loops, and told by each to those who want to know.
@Suite("Loop: presence, joins and leaves", .timeLimit(.minutes(10)))
struct LoopPresenceTests {
    private static let namespaces = [
        Configuration.Namespace("room") {
            $0.presence = true
            $0.joinLeave = true
        },
        Configuration.Namespace("quiet") { $0.presence = true },
    ]
    private static let joinLeave = #","join_leave":true"#

    private func withRoom(
        loops: Int = 1,
        _ body: (LoopFixture, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(
            loops: loops,
            namespaces: Self.namespaces,
            verifier: tokens.verifier
        ) { hub in
            try await body(hub, tokens)
        }
    }

    /// One client on each loop, and what the hub calls it.
    private func clientsOnBothLoops(
        _ hub: LoopFixture,
        _ tokens: TestTokens
    ) async throws -> [(client: LoopTestClient, id: String)] {
        var found: [Int: (client: LoopTestClient, id: String)] = [:]
        // The kernel deals connections out by a hash; 64 on one side are as good as impossible.
        for number in 1...64 where found.count < 2 {
            let before = await counts(hub)
            let client = try hub.connect()
            let id = try await client.connectSession(token: try tokens.connection("\(number)"))
            let after = await counts(hub)
            guard let loop = after.indices.first(where: { after[$0] > before[$0] }),
                found[loop] == nil
            else {
                await client.close()
                continue
            }
            found[loop] = (client, id)
        }
        guard let first = found[0], let second = found[1] else {
            throw LoopTestClient.Failure.unexpected("one loop gets all connections")
        }
        return [first, second]
    }

    private func counts(_ hub: LoopFixture) async -> [UInt64] {
        var counts: [UInt64] = []
        for loop in hub.loops { counts.append(await loop.snapshot().connections.accepted) }
        return counts
    }

    @Test func clientsOfAllLoopsAreInTheTopic() async throws {
        try await withRoom(loops: 2) { hub, tokens in
            let clients = try await clientsOnBothLoops(hub, tokens)
            for (client, _) in clients { _ = try await client.subscribe(2, "quiet:a") }
            for (client, _) in clients {
                let reply = try await client.command(#"{"id":3,"presence":{"channel":"quiet:a"}}"#)
                expect(reply.hasPrefix(#"{"id":3,"presence":{"presence":{"#))
                for (_, id) in clients { expect(reply.contains(#""\#(id)":{"user":""#)) }
                let stats = try await client.command(
                    #"{"id":4,"presence_stats":{"channel":"quiet:a"}}"#
                )
                expectEqual(stats, #"{"id":4,"presence_stats":{"num_clients":2,"num_users":2}}"#)
            }
        }
    }

    @Test func oneUserWithTwoConnectionsIsOneUser() async throws {
        try await withRoom { hub, tokens in
            let clients = [try hub.connect(), try hub.connect()]
            for client in clients {
                _ = try await client.connectSession(token: try tokens.connection("7"))
                _ = try await client.subscribe(2, "quiet:a")
            }
            let stats = try await clients[0].command(
                #"{"id":4,"presence_stats":{"channel":"quiet:a"}}"#
            )
            expectEqual(stats, #"{"id":4,"presence_stats":{"num_clients":2,"num_users":1}}"#)
        }
    }

    @Test func joinsAndLeavesReachWhoAskedForThemOnEveryLoop() async throws {
        try await withRoom(loops: 2) { hub, tokens in
            let clients = try await clientsOnBothLoops(hub, tokens)
            let (listener, other) = (clients[0].client, clients[1].client)
            _ = try await listener.subscribe(2, "room:a", Self.joinLeave)
            // Its own coming is told behind the reply to its subscription.
            expectEqual(text("client", in: try await listener.receiveText()), clients[0].id)
            _ = try await other.subscribe(2, "room:a")
            let joined = try await listener.receiveText()
            expect(joined.hasPrefix(#"{"push":{"channel":"room:a","join":{"info":{"user":""#))
            expectEqual(text("client", in: joined), clients[1].id)
            _ = try await other.command(#"{"id":3,"unsubscribe":{"channel":"room:a"}}"#)
            let left = try await listener.receiveText()
            expect(left.hasPrefix(#"{"push":{"channel":"room:a","leave":{"info":{"user":""#))
            expectEqual(text("client", in: left), clients[1].id)
        }
    }

    @Test(arguments: ["reset", "close frame", "disconnect"])
    func clientThatGoesHasLeft(way: String) async throws {
        try await withRoom { hub, tokens in
            let listener = try hub.connect()
            _ = try await listener.connectSession(token: try tokens.connection("1"))
            _ = try await listener.subscribe(2, "room:a", Self.joinLeave)
            _ = try await listener.receiveText()
            let other = try hub.connect()
            let id = try await other.connectSession(token: try tokens.connection("2"))
            _ = try await other.subscribe(2, "room:a")
            expectEqual(text("client", in: try await listener.receiveText()), id)
            switch way {
            case "reset": await other.reset()
            case "close frame": try await other.send(clientFrame(8, [0x03, 0xE8]))
            default: try await other.send(clientFrame(2, [1]))
            }
            let left = try await listener.receiveText()
            expect(left.contains(#""leave""#))
            expectEqual(text("client", in: left), id)
            let stats = try await listener.command(
                #"{"id":4,"presence_stats":{"channel":"room:a"}}"#
            )
            expect(stats.contains(#""num_clients":1,"#))
            await other.close()
        }
    }

    @Test func whoDidNotAskHearsNothingOfOthers() async throws {
        try await withRoom { hub, _ in
            let quiet = try hub.connect()
            try await quiet.connectSession()
            _ = try await quiet.subscribe(2, "room:a")
            _ = try await quiet.subscribe(3, "quiet:a", Self.joinLeave)
            let other = try hub.connect()
            try await other.connectSession()
            _ = try await other.subscribe(2, "room:a")
            _ = try await other.subscribe(3, "quiet:a")
            try await hub.settle()
            hub.publish("room:a", "1")
            try await expect(quiet.receiveText().contains(#""pub""#))
        }
    }
}
