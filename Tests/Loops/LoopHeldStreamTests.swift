import Expectations
import LoopTesting

@testable import Loops

/// Event streams that stop reading, as in `LoopHeldReaderTests`.
@Suite("Loop: event streams that read slowly", .timeLimit(.minutes(10)), .serialized)
struct LoopHeldStreamTests {
    private let readers = LoopHeldReaderTests()

    private func stream(_ hub: LoopFixture, _ topics: String) async throws -> LoopTestClient {
        let client = try hub.connect(receiveBufferSize: 4096)
        try await client.send(httpRequest("GET", "/events?topics=\(topics)"))
        _ = try await client.receiveHead()
        _ = try await client.receive(through: "\n\n")
        return client
    }

    /// The number behind `id: ` of an event.
    private func cursor(_ event: String) -> UInt64? {
        event.hasPrefix("id: ") ? UInt64(event.dropFirst(4).prefix { $0.isNumber }) : nil
    }

    @Test func slowStreamOfTwoTopicsLosesNothing() async throws {
        try await readers.withHub { hub in
            let topics = ["drop:a", "drop:b"]
            let slow = try await stream(hub, "drop:a,drop:b")
            var count = try await readers.publishUntilHeld(hub, topics, held: 1)
            for _ in 0..<5 {
                for topic in topics { readers.publish(hub, topic) }
                count += 1
            }
            for index in 1...UInt64(2 * count) {
                let event = try await slow.receive(through: "\n\n")
                try require(cursor(event) == LoopFixture.cursorBase + index)
            }
            try await hub.settle()
            readers.publish(hub, "drop:a", "1")
            try await expect(slow.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            await expectEqual(readers.counters(hub).connections.queueOverflows, 0)
        }
    }

    @Test func slowStreamIsToldOfTheGap() async throws {
        try await readers.withHub { hub in
            let slow = try await stream(hub, "short:a")
            let count = try await readers.publishUntilHeld(hub, ["short:a"])
            for _ in 0..<50 { readers.publish(hub, "short:a") }
            var last = LoopFixture.cursorBase
            var event = try await slow.receive(through: "\n\n")
            while !event.contains("event: gap") {
                try require(cursor(event) == last + 1)
                last += 1
                event = try await slow.receive(through: "\n\n")
            }
            let end = LoopFixture.cursorBase + UInt64(count + 50)
            expectEqual(cursor(event), end - 10)
            expect(event.contains(#""reason":"evicted","topics":["short:a"],"since":\#(last),"#))
            for index in end - 9...end {
                expectEqual(cursor(try await slow.receive(through: "\n\n")), index)
            }
        }
    }
}
