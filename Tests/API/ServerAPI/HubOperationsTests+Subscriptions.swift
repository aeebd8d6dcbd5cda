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
    // MARK: Subscriptions

    @Test func allConnectionsOfAUserAreSubscribedAndNobodyElse() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            let other = try await context.client("8")
            var options = ServerAPIRequest.SubscribeOptions()
            options.info = Array(#"{"seat":1}"#.utf8)
            options.data = Array(#"{"hello":true}"#.utf8)
            try await context.operations.subscribe(
                ServerAPIRequest.Subscribe(
                    connections: Connections(user: "7"),
                    topic: topic("room:a"),
                    options: options
                )
            )
            await expectEqual(context.subscriptionCount(), clients.count)
            try await publish(context, "room:a", "1")
            for (client, _) in clients {
                try await expectEqual(
                    client.receiveText(),
                    #"{"push":{"channel":"room:a","subscribe":{"recoverable":true,"#
                        + #""positioned":true,"epoch":"e1","offset":0,"data":{"hello":true}}}}"#
                )
                let push = #"{"push":{"channel":"room:a","pub":{"data":1,"offset":1}}}"#
                try await expectEqual(client.receiveText(), push)
            }
            let present = try await context.operations.presence(in: topic("room:a"))
            expectEqual(Set(present.map(\.client)), Set(clients.map(\.id)))
            expect(present.allSatisfy { $0.topicInfo == Array(#"{"seat":1}"#.utf8) })
            let stats = try await context.operations.presenceStats(of: topic("room:a"))
            expectEqual(stats.clientCount, clients.count)
            expectEqual(stats.userCount, 1)
            try await expectEqual(other.client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#), 104)
        }
    }

    /// A client drops what its position covers: it has to stand before what comes behind it.
    @Test func subscriptionThatRecoversBeginsBeforeWhatItRecovers() async throws {
        try await withOperations { context in
            let (client, _) = try await context.client("7")
            try await publish(context, "room:a", "1", "2", "3")
            for loop in context.hub.loops { _ = await loop.perform { $0.hub.topicCount } }
            var options = ServerAPIRequest.SubscribeOptions()
            options.since = Position(offset: 1, epoch: LoopFixture.epoch)
            try await context.operations.subscribe(
                ServerAPIRequest.Subscribe(
                    connections: Connections(user: "7"),
                    topic: topic("room:a"),
                    options: options
                )
            )
            let push = try await client.receiveText()
            expect(push.contains(#""subscribe":{"#))
            expectEqual(number("offset", in: push), 1)
            expectEqual(offsets(in: try await client.receiveText()), [2])
            expectEqual(offsets(in: try await client.receiveText()), [3])
        }
    }

    @Test func repetitionOfWhatNoHistoryKeepsHasTheFirstAnswer() async throws {
        try await withOperations { context in
            for _ in 0..<2 {
                var publication = NewPublication(topic: topic("bare:a"), data: [0x31])
                publication.idempotencyKey = "k"
                let results = await context.operations.publish([publication])
                expectEqual(results, [.success(Position(offset: 0, epoch: ""))])
            }
        }
    }

    @Test func subscriptionEndsWhenTheBackendSaysSo() async throws {
        try await withOperations { context in
            let (client, _) = try await context.client("7")
            var options = ServerAPIRequest.SubscribeOptions()
            options.expiresAt = HubClock.wall + .seconds(60)
            try await context.operations.subscribe(
                ServerAPIRequest.Subscribe(
                    connections: Connections(user: "7"),
                    topic: topic("room:a"),
                    options: options
                )
            )
            try await expect(client.receiveText().contains(#""subscribe""#))
            for loop in context.hub.loops { await loop.letTimePass(.seconds(50)) }
            await expectEqual(context.subscriptionCount(), 1)
            for loop in context.hub.loops { await loop.letTimePass(.seconds(120)) }
            let push = #"{"push":{"channel":"room:a","unsubscribe":{"code":2501,"#
            try await expect(client.receiveText().hasPrefix(push))
            await expectEqual(context.subscriptionCount(), 0)
        }
    }

    @Test(arguments: [0, -1, -3_000_000])
    func subscriptionThatIsOverDoesNotBegin(seconds: Int) async throws {
        try await withOperations { context in
            let (client, _) = try await context.client("7")
            var options = ServerAPIRequest.SubscribeOptions()
            options.expiresAt = HubClock.wall + .seconds(seconds)
            try await context.operations.subscribe(
                ServerAPIRequest.Subscribe(
                    connections: Connections(user: "7"),
                    topic: topic("room:a"),
                    options: options
                )
            )
            await expectEqual(context.subscriptionCount(), 0)
            try await expectEqual(client.errorCode(#"{"id":2,"rpc":{"method":"x"}}"#), 104)
        }
    }

    @Test func subscribeCanMeanOneConnection() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            for id in [clients[0].id, "other"] {
                try await context.operations.subscribe(
                    ServerAPIRequest.Subscribe(
                        connections: Connections(user: "7", client: id),
                        topic: topic("room:a")
                    )
                )
            }
            // A client of another user is not this user's, whatever its id.
            try await context.operations.subscribe(
                ServerAPIRequest.Subscribe(
                    connections: Connections(user: "8", client: clients[1].id),
                    topic: topic("room:a")
                )
            )
            await expectEqual(context.subscriptionCount(), 1)
            try await expect(clients[0].client.receiveText().contains(#""subscribe""#))
        }
    }

    @Test func connectionsAreUnsubscribedAndToldSo() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            let other = try await context.client("8")
            for (client, _) in clients + [other] { _ = try await client.subscribe(2, "news:a") }
            try await context.operations.unsubscribe(Connections(user: "7"), from: topic("news:a"))
            for (client, _) in clients {
                let push = #"{"push":{"channel":"news:a","unsubscribe":{"code":2000,"#
                try await expect(client.receiveText().hasPrefix(push))
            }
            try await publish(context, "news:a", "1")
            try await expect(other.client.receiveText().contains(#""pub""#))
            await expectEqual(context.subscriptionCount(), 1)
            // They may come again.
            try await expect(clients[0].client.subscribe(3, "news:a").contains(#""offset":1"#))
        }
    }
}
