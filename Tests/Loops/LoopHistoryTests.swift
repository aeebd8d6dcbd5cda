import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: history for clients", .timeLimit(.minutes(10)))
struct LoopHistoryTests {
    private func withSubscriber(
        _ body: (LoopFixture, LoopTestClient) async throws -> Void
    ) async throws {
        try await withLoops { hub in
            hub.publish("news:a", (1...5).map { "\($0)" })
            hub.publish("brief:a", "1", "2", "3", "4", "5")
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a")
            _ = try await client.subscribe(3, "brief:a")
            _ = try await client.subscribe(4, "news:empty")
            try await body(hub, client)
        }
    }

    private func history(_ topic: String, _ fields: String = "") -> String {
        #"{"id":9,"history":{"channel":"\#(topic)"\#(fields)}}"#
    }

    @Test func withoutALimitThePositionIsTold() async throws {
        try await withSubscriber { _, client in
            let reply = try await client.command(history("news:a"))
            expectEqual(reply, #"{"id":9,"history":{"epoch":"e1","offset":5}}"#)
            let empty = try await client.command(history("news:empty", #","limit":-1"#))
            expectEqual(empty, #"{"id":9,"history":{"epoch":"e1","offset":0}}"#)
        }
    }

    @Test(arguments: [
        (#","limit":2"#, [1, 2]), (#","limit":-1"#, [1, 2, 3, 4, 5]),
        (#","limit":99"#, [1, 2, 3, 4, 5]),
        (#","limit":2,"reverse":true"#, [5, 4]),
        (#","limit":2,"since":{"offset":2,"epoch":"e1"}"#, [3, 4]),
        (#","limit":9,"since":{"offset":5,"epoch":"e1"}"#, []),
        (#","limit":9,"since":{"offset":3,"epoch":"e1"},"reverse":true"#, [2, 1]),
        (#","limit":1,"since":{"offset":3,"epoch":"e1"},"reverse":true"#, [2]),
        (#","limit":2,"since":{"offset":2}"#, [3, 4]),
    ])
    func pageHasWhatIsAskedFor(fields: String, page: [Int]) async throws {
        try await withSubscriber { _, client in
            let reply = try await client.command(history("news:a", fields))
            expectEqual(offsets(in: reply), page)
            expect(reply.hasSuffix(#""epoch":"e1","offset":5}}"#), "\(reply)")
        }
    }

    @Test func pageBeginsWithWhatIsKept() async throws {
        try await withSubscriber { _, client in
            let reply = try await client.command(
                history("brief:a", #","limit":9,"since":{"offset":1,"epoch":"e1"}"#)
            )
            expectEqual(offsets(in: reply), [4, 5])
        }
    }

    @Test(arguments: [
        (#","limit":1,"since":{"offset":2,"epoch":"other"}"#, 112),
        (#","limit":1,"since":{"offset":0,"epoch":"e1"},"reverse":true"#, 107),
    ])
    func pageThatCannotBeIsRefused(fields: String, code: Int) async throws {
        try await withSubscriber { _, client in
            let found = try await client.errorCode(history("news:a", fields))
            expectEqual(found, code)
        }
    }

    @Test func removedHistoryIsNoLongerThereAndAReturningSubscriberIsToldTheGap() async throws {
        try await withSubscriber { hub, client in
            hub.removeHistory(of: topic("news:a"), through: 4)
            let reply = try await client.command(history("news:a", #","limit":9"#))
            expectEqual(offsets(in: reply), [5])
            let returning = try hub.connect()
            try await returning.connectSession()
            let recovered = try await returning.subscribe(
                2,
                "news:a",
                #","recover":true,"epoch":"e1","offset":2"#
            )
            expect(recovered.contains(#""was_recovering":true,"recovered":false"#))
            expectEqual(offsets(in: recovered), [5])
            // Offsets go on.
            hub.publish("news:a", "6")
            try await expect(client.receiveText().hasSuffix(#""offset":6}}}"#))
        }
    }
}
