import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: tag filters", .timeLimit(.minutes(10)))
struct LoopFilterTests {
    private static let red = #","tf":{"key":"colour","cmp":"eq","val":"red"}"#

    private func publish(_ hub: LoopFixture, _ data: String, _ colour: String?) {
        hub.publish(
            [
                ClientPublication(
                    topic: topic("news:a"),
                    data: Array(data.utf8),
                    info: nil,
                    allowsDelta: false
                )
            ],
            tags: colour.map { ["colour": $0] } ?? [:]
        )
    }

    @Test func subscriberGetsWhatItsFilterMatches() async throws {
        try await withLoops { hub in
            let picky = try hub.connect()
            let other = try hub.connect()
            for client in [picky, other] { try await client.connectSession() }
            _ = try await picky.subscribe(2, "news:a", Self.red)
            _ = try await other.subscribe(2, "news:a")
            publish(hub, "1", "red")
            publish(hub, "2", "blue")
            publish(hub, "3", nil)
            publish(hub, "4", "red")
            for offset in [1, 4] {
                let push =
                    #"{"push":{"channel":"news:a","pub":{"data":\#(offset),"#
                    + #""offset":\#(offset),"tags":{"colour":"red"}}}}"#
                try await expectEqual(picky.receiveText(), push)
            }
            for offset in 1...4 {
                expectEqual(offsets(in: try await other.receiveText()), [offset])
            }
            let counters = await hub.loops[0].snapshot()
            expectEqual(counters.filtered, 2)
            expectEqual(counters.deliveries, 6)
        }
    }

    @Test func returningSubscriberGetsWhatItsFilterMatchesOfWhatItMissed() async throws {
        try await withLoops { hub in
            for (data, colour) in [("1", "red"), ("2", "blue"), ("3", "red"), ("4", "blue")] {
                publish(hub, data, colour)
            }
            let client = try hub.connect()
            try await client.connectSession()
            let recover = #","recover":true,"epoch":"e1","offset":1"#
            let reply = try await client.subscribe(2, "news:a", recover + Self.red)
            expect(reply.contains(#""offset":1,"was_recovering":true,"recovered":true"#))
            expectEqual(offsets(in: reply), [3])
            // With nothing to work through, it begins behind what its filter removed.
            let last = try hub.connect()
            try await last.connectSession()
            let none = try await last.subscribe(
                2,
                "news:a",
                #","recover":true,"epoch":"e1","offset":3"# + Self.red
            )
            expect(none.contains(#""offset":4,"was_recovering":true,"recovered":true"#))
            // Between the same two publications, and without a filter.
            let other = try hub.connect()
            try await other.connectSession()
            let all = try await other.subscribe(2, "news:a", recover)
            expectEqual(offsets(in: all), [2, 3, 4])
            publish(hub, "5", "blue")
            publish(hub, "6", "red")
            expectEqual(offsets(in: try await client.receiveText()), [6])
        }
    }

    @Test func explainTellsWhatTheFilterKeptBack() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a", Self.red)
            publish(hub, "1", "blue")
            publish(hub, "2", "red")
            _ = try await client.receiveText()
            for (offset, outcome) in [(1, "filtered"), (2, "delivered")] {
                let reply = try await client.command(
                    #"{"id":3,"rpc":{"method":"hub.explain","#
                        + #""data":{"topic":"news:a","offset":\#(offset)}}}"#
                )
                expectEqual(text("outcome", in: reply), outcome)
            }
        }
    }

    @Test(arguments: [
        #","tf":{"key":"colour","cmp":"like","val":"red"}"#, #","tf":{"cmp":"eq","val":"red"}"#,
        #","tf":{"op":"and"}"#,
        #","delta":"fossil","tf":{"key":"colour","cmp":"eq","val":"red"}"#,
    ])
    func filterThatIsNoneIsRefused(fields: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.subscribe(2, "news:a", fields)
            expectEqual(number("code", in: reply), 107)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }
}
