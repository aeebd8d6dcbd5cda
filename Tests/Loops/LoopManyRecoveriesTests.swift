import ClientWire
import Core
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// What a client that comes back gets of many topics: of those that its token names, all in one reply.
@Suite("Loop: recovering many topics at once", .timeLimit(.minutes(10)))
struct LoopManyRecoveriesTests {
    private static let topics = (0..<8).map { "news:\($0)" }
    private static let payload = #""\#(String(repeating: "x", count: 998))""#

    private func connect(_ hub: LoopFixture, _ token: String) async throws -> String {
        let former = Self.topics.map {
            #""\#($0)":{"recover":true,"epoch":"\#(LoopFixture.epoch)","offset":0}"#
        }
        let client = try hub.connect()
        try await client.upgrade()
        return try await client.command(
            #"{"id":1,"connect":{"token":"\#(token)","subs":{"#
                + former.joined(separator: ",") + "}}}"
        )
    }

    /// Ten kilobytes of each topic, and room for a little more than those of three.
    @Test func subscriptionsShareTheRoomOfOneRecovery() async throws {
        let tokens = try await TestTokens()
        let token = try tokens.connection("42", topics: Self.topics)
        let bytesMax = 35_000
        try await withLoops(
            verifier: tokens.verifier,
            hubLimits: HubLimits(recoveryBytesMax: bytesMax)
        ) { hub in
            for topic in Self.topics {
                hub.publish(topic, Array(repeating: Self.payload, count: 10))
            }
            let reply = try await connect(hub, token)
            expect(reply.utf8.count < bytesMax + 4000, "\(reply.utf8.count) bytes")
            let subscriptions = reply.split(separator: #""recoverable":true"#).dropFirst()
            expectEqual(subscriptions.count, Self.topics.count)
            let told = subscriptions.map { $0.contains(#""recovered":true"#) }
            expectEqual(told, [true, true, true] + Array(repeating: false, count: 5))
            // Of the fourth there is what there was room for.
            let counts = subscriptions.map { offsets(in: String($0)).count }
            for (subscription, count) in zip(subscriptions, counts) {
                expect(subscription.contains(#""offset":\#(10 - count),"was_recovering""#))
            }
            expectEqual(counts.prefix(3), [10, 10, 10])
            expect((1...9).contains(counts[3]))
            expectEqual(counts.suffix(4), [0, 0, 0, 0])
        }
    }

    /// Six megabytes of forty topics, asked for at once: more than the kernel and the queue take.
    @Test func clientThatReadsSlowlyGetsAllThatItSubscribesTo() async throws {
        let topics = (0..<40).map { "news:\($0)" }
        let change: (inout LoopSettings) -> Void = {
            $0.connections.queueBytesMax = 400_000
            $0.deflate = nil
        }
        try await withLoops(change, hubLimits: HubLimits(recoveryBytesMax: 200_000)) { hub in
            for topic in topics { hub.publish(topic, Array(repeating: Self.payload, count: 140)) }
            let client = try hub.connect(receiveBufferSize: 4096)
            try await client.connectSession()
            let commands = topics.enumerated().map { index, topic in
                #"{"id":\#(index + 2),"subscribe":{"channel":"\#(topic)","#
                    + #""recover":true,"epoch":"e1","offset":0}}"#
            }
            try await client.sendText(commands.joined(separator: "\n"))
            // All that can be done for a client that takes nothing.
            for _ in 0..<50 { try await hub.settle() }
            for index in topics.indices {
                let reply = try await client.receiveText()
                try require(reply.hasPrefix(#"{"id":\#(index + 2),"subscribe":"#))
                expect(reply.contains(#""recovered":true"#))
            }
            let counters = await hub.loops[0].perform { $0.snapshot() }
            expectEqual(counters.connections.queueOverflows, 0)
        }
    }

    @Test func whoHasMissedNothingNeedsNoRoom() async throws {
        let tokens = try await TestTokens()
        let token = try tokens.connection("42", topics: Self.topics)
        try await withLoops(
            verifier: tokens.verifier,
            hubLimits: HubLimits(recoveryBytesMax: 1)
        ) { hub in
            let reply = try await connect(hub, token)
            let recovered = reply.split(separator: #""recovered":true"#).count - 1
            expectEqual(recovered, Self.topics.count)
        }
    }
}
