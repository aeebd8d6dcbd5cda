import ClientWire
import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Loops

/// Lists of topics: page by page for clients, slice by slice for the server API.
@Suite(
    "Loop: lists of topics",
    .timeLimit(.minutes(10)),
    .disabled(if: historiesAreStored, "about histories in memory")
)
struct LoopTopicsTests {
    private func call(_ id: Int, _ data: String) -> String {
        #"{"id":\#(id),"rpc":{"method":"hub.topics","data":\#(data)}}"#
    }

    private func names(in reply: String) -> [String] {
        reply.components(separatedBy: #""topic":""#).dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
    }

    private func withTopics(
        _ count: Int,
        _ body: (LoopFixture, LoopTestClient) async throws -> Void
    ) async throws {
        try await withLoops { hub in
            hub.publish((0..<count).map { (topic("news:\($0)"), [0x31]) })
            hub.publish("closed:a", "1")
            let client = try hub.connect()
            try await client.connectSession()
            try await body(hub, client)
        }
    }

    @Test func pagesTogetherHaveEveryTopicOnce() async throws {
        try await withTopics(25) { _, client in
            var found: [String] = []
            var cursor: Int? = 0
            var id = 2
            while let next = cursor {
                let reply = try await client.command(call(id, #"{"limit":10,"cursor":\#(next)}"#))
                let page = names(in: reply)
                expectEqual(page, page.sorted())
                expect(page.count <= 10)
                found += page
                cursor = number("next", in: reply)
                expect(reply.contains(#""complete":\#(cursor == nil)"#))
                id += 1
            }
            expectEqual(found.sorted(), (0..<25).map { "news:\($0)" }.sorted())
        }
    }

    @Test func callWithoutALimitHasTheFirstPageAndACursor() async throws {
        try await withTopics(300) { _, client in
            let reply = try await client.command(#"{"id":2,"rpc":{"method":"hub.topics"}}"#)
            expectEqual(names(in: reply).count, 250)
            expect(reply.contains(#""complete":false"#))
            let cursor = try require(number("next", in: reply))
            let rest = try await client.command(call(3, #"{"cursor":\#(cursor)}"#))
            expectEqual(names(in: rest).count, 50)
            expect(rest.contains(#""complete":true"#))
            let more = try await client.command(call(4, #"{"limit":5000}"#))
            expectEqual(names(in: more).count, 250, "the most that a page has")
        }
    }

    /// Also of topics that the client may not read: looking at them costs as much.
    @Test func oneCallLooksAtSoManyTopicsAndNoMore() async throws {
        try await withLoops { hub in
            hub.publish((0..<1500).map { (topic("closed:\($0)"), [0x31]) })
            hub.publish("news:a", "1")
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(call(2, "{}"))
            expectEqual(names(in: reply), [])
            let cursor = try require(number("next", in: reply))
            expect(cursor < 1500)
            let rest = try await client.command(call(3, #"{"cursor":\#(cursor)}"#))
            expectEqual(names(in: rest), ["news:a"])
            expect(rest.contains(#""complete":true"#))
        }
    }

    @Test(arguments: [
        #"{"limit":0}"#, #"{"limit":-1}"#, #"{"limit":"9"}"#, #"{"cursor":-1}"#, #"{"cursor":1.5}"#,
    ])
    func limitOrCursorThatIsNoneIsRefused(data: String) async throws {
        try await withTopics(1) { _, client in
            let code = try await client.errorCode(call(2, data))
            expectEqual(code, 107)
        }
    }

    @Test(arguments: ["null", "[]", "{}", #"{"cursor":18446744073709551615}"#, #"{"cursor":9}"#])
    func callBeyondTheEndOrWithoutAPageIsAnswered(data: String) async throws {
        try await withTopics(1) { _, client in
            let reply = try await client.command(call(2, data))
            let isBadCursor = data.contains("18446744073709551615")
            expectEqual(isBadCursor, (number("code", in: reply) == 107))
            if !isBadCursor { expect(reply.contains(#""complete":true"#)) }
        }
    }

    @Test func channelsOfManyTopicsAreListedWhole() async throws {
        try await withTopics(9000) { hub, client in
            for index in [0, 4095, 4096, 8999] {
                _ = try await client.subscribe(index + 10, "news:\(index)")
            }
            let topics = await hub.transport.subscribedTopics { _ in true }
            let names = ["news:0", "news:4095", "news:4096", "news:8999"]
            expectEqual(topics.keys.map(\.name).sorted(), names)
            expect(topics.values.allSatisfy { $0 == 1 })
        }
    }
}
