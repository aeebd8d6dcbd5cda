import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import Store

@testable import Loops

@Suite("Loop: what clients publish", .timeLimit(.minutes(10)))
struct LoopPublishingTests {
    @Test func publisherIsAnsweredAndSubscribersGetIt() async throws {
        try await withLoops { hub in
            let reader = try hub.connect()
            try await reader.connectSession()
            _ = try await reader.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            let writer = try hub.connect()
            try await writer.connectSession()
            let reply = try await writer.command(publish(2, "news:a", #"{"n": [1]}"#))
            expectEqual(reply, #"{"id":2,"publish":{}}"#)
            let pushed = try await reader.receiveText()
            let push = #"{"push":{"channel":"news:a","pub":{"data":{"n": [1]},"offset":1,"info":"#
            expect(pushed.hasPrefix(push + #"{"user":"","client":""#))
        }
    }

    @Test func publicationsOfANamespaceWithoutHistoryHaveNoOffsets() async throws {
        let bare = Configuration.Namespace("bare") {
            $0.historySize = 0
            $0.publish = .anyone
        }
        try await withLoops(namespaces: [bare]) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "bare:a")
            let pushed = try await client.command(publish(3, "bare:a", "7"))
            expect(pushed.hasPrefix(#"{"push":{"channel":"bare:a","pub":{"data":7,"info":"#))
            _ = try await client.receiveText()
            // What comes of it is forgotten with the last subscriber.
            _ = try await client.command(#"{"id":4,"unsubscribe":{"channel":"bare:a"}}"#)
            _ = try await client.command(publish(5, "bare:a", "8"))
            await expectEqual(hub.loops[0].perform { $0.hub.topicCount }, 0)
        }
    }

    @Test func commandsOfOneFrameAreCommittedTogetherAndEachIsAnswered() async throws {
        let store = FixtureStore()
        try await withLoops(store: store) { hub in
            let writer = try hub.connect()
            try await writer.connectSession()
            let frame = (2...5).map { publish($0, "news:a", "\($0)") }.joined(separator: "\n")
            var replies = [try await writer.command(frame)]
            for _ in 3...5 { replies.append(try await writer.receiveText()) }
            expectEqual(replies, (2...5).map { #"{"id":\#($0),"publish":{}}"# })
            expectEqual(store.parts.withLock { $0 }, 1)
        }
    }

    @Test(
        arguments: [
            ("told:a", 103), ("closed:a", 103), ("elsewhere:a", 102), ("brief:a", 103),
        ]
    )
    func topicThatTakesNothingFromTheClientIsRefused(topic: String, code: Int) async throws {
        try await withLoops { hub in
            let writer = try hub.connect()
            try await writer.connectSession()
            let reply = try await writer.command(publish(2, topic, "1"))
            expect(reply.hasPrefix(#"{"id":2,"error":{"code":\#(code),"#))
        }
    }

    @Test func subscriberMayPublishWhereSubscribersMay() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"brief:a"}}"#)
            // The publication is committed, and pushed, before its publisher is told.
            let pushed = try await client.command(publish(3, "brief:a", "7"))
            let push = #"{"push":{"channel":"brief:a","pub":{"data":7,"offset":1,"info":"#
            expect(pushed.hasPrefix(push))
            let reply = try await client.receiveText()
            expectEqual(reply, #"{"id":3,"publish":{}}"#)
        }
    }

    @Test(
        arguments: [
            (StoreError.Code.queueFull, 111), (.changeTooBig, 106), (.closed, 100),
        ]
    )
    func failedCommitIsToldToThePublisher(code: StoreError.Code, error: Int) async throws {
        let store = FixtureStore()
        try await withLoops(store: store) { hub in
            store.failure.withLock { $0 = StoreError(code, "test", path: "none") }
            let client = try hub.connect()
            try await client.connectSession()
            let refused = try await client.command(publish(2, "news:a", "1"))
            expect(refused.hasPrefix(#"{"id":2,"error":{"code":\#(error),"#))
            store.failure.withLock { $0 = nil }
            let reply = try await client.command(publish(3, "news:a", "1"))
            expectEqual(reply, #"{"id":3,"publish":{}}"#)
        }
    }

    @Test func refusedPublicationFailsAloneInItsTurn() async throws {
        let store = FixtureStore()
        try await withLoops(store: store) { hub in
            store.refused.withLock { $0 = [1: TopicRefusal(.publisher, limit: 1)] }
            let client = try hub.connect()
            try await client.connectSession()
            // One frame, so one turn and one commit.
            let frame = (2...4).map { publish($0, "news:\($0)", "1") }.joined(separator: "\n")
            var replies = [try await client.command(frame)]
            for _ in 3...4 { replies.append(try await client.receiveText()) }
            expectEqual(
                replies.sorted(),
                [
                    #"{"id":2,"publish":{}}"#,
                    #"{"id":3,"error":{"code":106,"message":"limit exceeded","temporary":false}}"#,
                    #"{"id":4,"publish":{}}"#,
                ]
            )
            expectEqual(store.parts.withLock { $0 }, 1)
        }
    }

    private func publish(_ id: Int, _ topic: String, _ data: String) -> String {
        #"{"id":\#(id),"publish":{"channel":"\#(topic)","data":\#(data)}}"#
    }
}
