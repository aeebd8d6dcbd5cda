import ClientWire
import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import Logging
import LoopTesting
import Loops
import Store
import TokenTesting

@testable import API

extension HubOperationsTests {
    // MARK: Connections

    @Test func connectionsAreEndedButForThoseThatAreSpared() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            let other = try await context.client("8")
            let stream = try await context.stream("7", "news:a")
            let spared = clients[0].id
            try await context.operations.disconnect(
                ServerAPIRequest.Disconnect(
                    connections: Connections(user: "7"),
                    spared: [spared],
                    code: .forceReconnect
                )
            )
            for (client, _) in clients.dropFirst() {
                try await expect(client.receiveClose() == (3011, "force reconnect"))
            }
            try await expect(stream.receiveAll().hasPrefix("retry: "))
            for client in [clients[0].client, other.client] {
                try await expectEqual(client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#), 104)
            }
        }
    }

    @Test func disconnectOfOneSessionLeavesTheUsersOthersAlone() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            let stream = try await context.stream("7", "news:a")
            try await context.operations.disconnect(
                ServerAPIRequest.Disconnect(
                    connections: Connections(user: "7", session: clients[0].id)
                )
            )
            try await expect(clients[0].client.receiveClose() == (3503, "force disconnect"))
            try await publish(context, "news:a", "1")
            try await expect(stream.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            for (client, _) in clients.dropFirst() {
                try await expectEqual(client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#), 104)
            }
        }
    }

    @Test(arguments: [ServerAPIRequest.Refresh.Expiry.now, .at(HubClock.wall - .seconds(1))])
    func refreshCanEndAConnection(expiry: ServerAPIRequest.Refresh.Expiry) async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            let other = try await context.client("8")
            let stream = try await context.stream("7", "news:a")
            try await context.operations.refresh(
                ServerAPIRequest.Refresh(connections: Connections(user: "7"), expiry: expiry)
            )
            for (client, _) in clients {
                try await expect(client.receiveClose() == (3005, "connection expired"))
            }
            try await expect(stream.receiveAll().hasPrefix("retry: "))
            await stream.close()
            for loop in context.hub.loops { await loop.untilStreamsAreGone() }
            try await expectEqual(other.client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#), 104)
            expectEqual(context.shared.clients.userCount, 1)
        }
    }

    @Test func refreshCanSetAnEndOrNone() async throws {
        try await withOperations { context in
            let (client, _) = try await context.client("7")
            let user = Connections(user: "7")
            let info = Array(#"{"name":"Kari"}"#.utf8)
            try await context.operations.refresh(
                ServerAPIRequest.Refresh(connections: user, expiry: .never, info: info)
            )
            try await expectEqual(client.receiveText(), #"{"push":{"refresh":{}}}"#)
            for loop in context.hub.loops { await loop.letTimePass(.seconds(4000)) }
            try await expectEqual(client.receiveTextOrPing(), "{}")
            try await client.sendText("{}")
            _ = try await client.subscribe(2, "news:a")
            let present = try await context.operations.presence(in: topic("news:a"))
            expectEqual(present.map(\.connectionInfo), [info])

            try await context.operations.refresh(
                ServerAPIRequest.Refresh(
                    connections: user,
                    expiry: .at(HubClock.wall + .seconds(100))
                )
            )
            let told = try await client.receiveText()
            expect(told.hasPrefix(#"{"push":{"refresh":{"expires":true,"ttl":"#))
            expect((99...100).contains(number("ttl", in: told) ?? 0))
            for loop in context.hub.loops { await loop.letTimePass(.seconds(200)) }
            try await expectEqual(client.receiveClose().code, 3005)
        }
    }

    // MARK: Lists

    @Test func listHasTheConnectionsOfAllLoops() async throws {
        try await withOperations { context in
            let begin = HubClock.wall
            let clients = try await context.clients("7")
            _ = try await clients[0].client.subscribe(2, "news:a")
            _ = try await clients[0].client.subscribe(3, "news:b")
            let stream = try await context.stream("8", "news:a")
            // Neither requests nor clients that are not admitted receive publications.
            let idle = try context.hub.connect()
            try await idle.upgrade()
            try await context.hub.settle()
            let all = try await context.operations.connections(.init())
            expectEqual(all.total, clients.count + 1)
            let byID = Dictionary(uniqueKeysWithValues: all.connections.map { ($0.id, $0) })
            for (index, client) in clients.enumerated() {
                let found = try require(byID[client.id])
                expectEqual(found.user, "7")
                expectEqual(found.address, "127.0.0.1")
                expectEqual(found.transport, .webSocket)
                expectEqual(found.wireProtocol, "json")
                expectEqual(found.topicCount, (index == 0 ? 2 : 0))
                expect(found.connectedAt >= begin - .seconds(1))
                expect(found.connectedAt <= HubClock.wall + .seconds(1))
                expect((found.queuedBytes, found.isSlow, found.droppedCount) == (0, false, 0))
                expectNil(found.roundTrip)
                try expect(require(found.sentBytes) > 100)
                expectNil(found.key)
            }
            let other = try require(all.connections.first { $0.user == "8" })
            expectEqual(other.transport, .eventStream)
            expectEqual(other.wireProtocol, "eventstream")
            expect((other.topicCount, other.droppedCount) == (1, nil))
            await stream.close()
            await idle.close()
        }
    }

    @Test func listIsThatOfAUserOrATopicAndHasALimit() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            _ = try await clients[0].client.subscribe(2, "news:a")
            let stream = try await context.stream("8", "news:a")
            let list = context.operations.connections
            let users = try await list(.init(user: "7"))
            expectEqual(users.total, clients.count)
            expect(users.connections.allSatisfy { $0.user == "7" })
            let subscribers = try await list(.init(topic: Topic(trusted: "news:a")))
            expectEqual(Set(subscribers.connections.map(\.user)), ["7", "8"])
            let both = try await list(.init(user: "7", topic: Topic(trusted: "news:a")))
            expectEqual(both.connections.map(\.id), [clients[0].id])
            expectEqual(both.total, 1)
            let cut = try await list(.init(limit: clients.count))
            expectEqual(cut.connections.count, clients.count)
            expectEqual(cut.total, clients.count + 1)
            try await expectEqual(list(.init(user: "9")).total, 0)
            try await expectEqual(list(.init(topic: Topic(trusted: "news:none"))).total, 0)
            // Nobody configures what the hub has reserved.
            let refused = [
                "nowhere:a": ServerAPIError.unknown(namespace: "nowhere"),
                "hidden:a": ServerAPIError(.unknownChannel),
            ]
            for (topic, error) in refused {
                await #expect(throws: error) {
                    try await list(.init(topic: Topic(trusted: topic)))
                }
            }
            await stream.close()
        }
    }
}
