import ClientWire
import Configuration
import ConfigurationTesting
import HubTesting
import Locking
import Logging
import PubSub
import ShardTesting
import Shards
import Store
import Tasks
import Testing
import Timekeeping
import TokenTesting
import Tokens

@testable import ServerAPI

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
                #expect(try await client.receiveClose() == (3011, "force reconnect"))
            }
            #expect(try await stream.receiveAll().hasPrefix("retry: "))
            for client in [clients[0].client, other.client] {
                #expect(try await client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#) == 104)
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
            #expect(try await clients[0].client.receiveClose() == (3503, "force disconnect"))
            try await publish(context, "news:a", "1")
            #expect(try await stream.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            for (client, _) in clients.dropFirst() {
                #expect(try await client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#) == 104)
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
                #expect(try await client.receiveClose() == (3005, "connection expired"))
            }
            #expect(try await stream.receiveAll().hasPrefix("retry: "))
            await stream.close()
            for shard in context.hub.shards { await shard.untilStreamsAreGone() }
            #expect(try await other.client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#) == 104)
            #expect(context.shared.clients.userCount == 1)
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
            #expect(try await client.receiveText() == #"{"push":{"refresh":{}}}"#)
            for shard in context.hub.shards { await shard.letTimePass(.seconds(4000)) }
            #expect(try await client.receiveTextOrPing() == "{}")
            try await client.sendText("{}")
            _ = try await client.subscribe(2, "news:a")
            let present = try await context.operations.presence(in: topic("news:a"))
            #expect(present.map(\.connectionInfo) == [info])

            try await context.operations.refresh(
                ServerAPIRequest.Refresh(
                    connections: user,
                    expiry: .at(HubClock.wall + .seconds(100))
                )
            )
            let told = try await client.receiveText()
            #expect(told.hasPrefix(#"{"push":{"refresh":{"expires":true,"ttl":"#))
            #expect((99...100).contains(number("ttl", in: told) ?? 0))
            for shard in context.hub.shards { await shard.letTimePass(.seconds(200)) }
            #expect(try await client.receiveClose().code == 3005)
        }
    }
}
