import ClientWire
import Core
import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: the list of connections", .timeLimit(.minutes(10)))
struct LoopConnectionListTests {
    private static let key = "key-that-reads-everything"

    private func list(_ hub: LoopFixture) async -> [ServerAPIResult.Connection] {
        await hub.transport.connections(.init()).connections
    }

    @Test func listHasTheTransportOfEachConnection() async throws {
        let keys = APIKeys(scoped: [(try APIKeyHash(key: Self.key), APIKeyGrant(name: "reader"))])
        try await withLoops(apiKeys: keys) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let lines = try hub.connect()
            let connect = #"{"id":1,"connect":{}}"#
            try await lines.send(httpRequest("POST", "/connection/http_stream", body: connect))
            try await expectEqual(lines.receiveHead().status, 200)
            let events = try hub.connect()
            try await events.send(
                httpRequest("GET", "/events?topics=news:a,news:b", ["X-API-Key: \(Self.key)"])
            )
            try await expectEqual(events.receiveHead().status, 200)
            let cloudEvents = try hub.connect()
            let offer = ["Sec-WebSocket-Protocol: cloudevents.json"]
            try await cloudEvents.send(webSocketRequest("/events?topics=news:a", offer))
            try await expectEqual(cloudEvents.receiveHead().status, 101)
            let found = await list(hub).sorted { $0.transport.rawValue < $1.transport.rawValue }
            expectEqual(
                found.map(\.transport),
                [.cloudEvents, .eventStream, .httpStream, .webSocket]
            )
            expectEqual(found.map(\.wireProtocol), ["cloudevents", "eventstream", "json", "json"])
            expectEqual(found.map(\.key), [nil, "reader", nil, nil])
            expectEqual(found.map(\.topicCount), [1, 2, 0, 0])
            expectEqual(found.map(\.droppedCount), [nil, nil, 0, 0])
            for client in [client, lines, events, cloudEvents] { await client.close() }
            try await hub.wait { await list(hub).isEmpty }
        }
    }

    @Test func listHasTheLastRoundTripAndTheLongestFirst() async throws {
        try await withLoops { hub in
            var clients: [LoopTestClient] = []
            for _ in 0..<3 {
                clients.append(try hub.connect())
                try await clients[clients.count - 1].connectSession()
            }
            await hub.loops[0].perform { loop in
                for (place, id) in loop.connections.openConnections().enumerated() {
                    loop.perform(.countRoundTrip(.seconds(9)), on: id)
                    loop.perform(.countRoundTrip(.milliseconds(place * 125)), on: id)
                }
            }
            let trips = await list(hub).map(\.roundTrip)
            expectEqual(trips, [.milliseconds(250), .milliseconds(125), .zero])
            for client in clients { await client.close() }
        }
    }

    /// A loop examines the table in slices.
    @Test(arguments: [1, 2, 3, 4, 5])
    func everyConnectionIsInOneSlice(countMax: Int) async throws {
        try await withLoops { hub in
            var clients: [LoopTestClient] = []
            for _ in 0..<4 {
                clients.append(try hub.connect())
                try await clients[clients.count - 1].connectSession()
            }
            let found = await hub.loops[0].perform { loop -> [Int] in
                var next: Int? = 0
                var counts: [Int] = []
                while let first = next {
                    let slice = loop.ranks(of: .init(), from: first, countMax: countMax)
                    counts.append(slice.ranks.count)
                    next = slice.next
                }
                return counts
            }
            expectEqual(found.reduce(0, +), 4)
            expect(found.allSatisfy { $0 <= countMax })
            for client in clients { await client.close() }
        }
    }
}
