import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// What becomes of the commands of a client depends on its namespace, its user and its subscriptions.
@Suite("Loop: who may do what", .timeLimit(.minutes(10)))
struct LoopRightsTests {
    private static let namespaces: [Configuration.Namespace] = {
        func closed(
            _ name: String,
            _ subscribe: Configuration.Subscribers,
            _ publish: Configuration.Publishers
        ) -> Configuration.Namespace {
            Configuration.Namespace(name) {
                $0.anonymousSubscribe = false
                $0.subscribe = subscribe
                $0.publish = publish
                $0.presence = true
            }
        }
        return [
            Configuration.Namespace("open"),
            Configuration.Namespace("wall") { $0.publish = .anyone },
            closed("own", .owner, .owner),
            closed("users", .users, .subscribers),
            closed("staff", .token, .users),
            Configuration.Namespace("alerts") { $0.publish = .anyone },
            Configuration.Namespace("bare") {
                $0.historySize = 0
                $0.publish = .anyone
            },
        ]
    }()

    /// A request: its client's user, empty for none, what it asks, and the code of the error; 0 for none.
    struct Case: Sendable, CustomTestStringConvertible {
        let user: String
        let topic: String
        let code: Int

        init(_ user: String, _ topic: String, _ code: Int) {
            (self.user, self.topic, self.code) = (user, topic, code)
        }

        var testDescription: String { "\(user.isEmpty ? "nobody" : user) \(topic): \(code)" }
    }

    private func withClient(
        _ user: String,
        _ body: (LoopFixture, LoopTestClient) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            if user.isEmpty {
                try await client.connectSession()
            } else {
                _ = try await client.connectSession(token: try tokens.connection(user))
            }
            try await body(hub, client)
        }
    }

    @Test(arguments: [
        Case("", "open:a", 0), Case("7", "open:a", 0),
        Case("7", "own:7", 0), Case("8", "own:7", 103), Case("", "own:7", 103),
        Case("", "own:", 103), Case("7", "own:7:more", 103), Case("7", "own:77", 103),
        Case("7", "users:a", 0), Case("", "users:a", 103),
        Case("7", "staff:a", 103), Case("", "staff:a", 103),
        Case("7", "nowhere:a", 102), Case("7", "Open:a", 102),
    ])
    func subscriptionIsForWhomTheNamespaceSays(request: Case) async throws {
        try await withClient(request.user) { hub, client in
            let reply = try await client.subscribe(2, request.topic)
            expectEqual(number("code", in: reply) ?? 0, request.code)
            let count = await hub.loops[0].subscriptionCount
            expectEqual(count, (request.code == 0 ? 1 : 0))
        }
    }

    @Test(arguments: [
        Case("", "open:a", 103), Case("7", "open:a", 103), Case("", "wall:a", 0),
        Case("7", "own:7", 0), Case("8", "own:7", 103), Case("", "own:7", 103),
        Case("7", "users:a", 103), Case("7", "staff:a", 0), Case("", "staff:a", 103),
        Case("7", "nowhere:a", 102),
        // Only the hub publishes alerts.
        Case("", "wall:a:alerts", 103), Case("7", "wall:alerts", 103),
        Case("7", "staff:a:b:alerts", 103), Case("7", "own:7:alerts", 103),
        Case("7", "alerts:7", 103), Case("", "wall:a:Alerts", 0), Case("", "wall:alerts:a", 0),
        Case("", "wall:a:alerts:", 0), Case("", "wall:a:xalerts", 0),
    ])
    func publicationIsFromWhomTheNamespaceSays(request: Case) async throws {
        let store = FixtureStore()
        let tokens = try await TestTokens()
        try await withLoops(
            namespaces: Self.namespaces,
            verifier: tokens.verifier,
            store: store
        ) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection(request.user))
            let command = #"{"id":2,"publish":{"channel":"\#(request.topic)","data":1}}"#
            try await expectEqual(client.errorCode(command), request.code)
            expectEqual(store.parts.withLock { $0 }, (request.code == 0 ? 1 : 0))
        }
    }

    @Test func subscriberMayNoLongerPublishWhenItHasLeft() async throws {
        try await withClient("7") { _, client in
            let publish = #"{"id":3,"publish":{"channel":"users:a","data":1}}"#
            _ = try await client.subscribe(2, "users:a")
            // Its own publication comes before the reply.
            try await expect(client.command(publish).contains(#""push""#))
            try await expectEqual(client.receiveText(), #"{"id":3,"publish":{}}"#)
            _ = try await client.command(#"{"id":4,"unsubscribe":{"channel":"users:a"}}"#)
            try await expectEqual(client.errorCode(publish), 103)
        }
    }

    @Test(arguments: [
        Case("7", "open:a", 108), Case("7", "users:a", 103), Case("7", "own:7", 103),
        Case("8", "own:7", 103), Case("7", "nowhere:a", 102),
    ])
    func presenceIsForSubscribersWhereItIsOffered(request: Case) async throws {
        try await withClient(request.user) { _, client in
            for method in ["presence", "presence_stats"] {
                let command = #"{"id":2,"\#(method)":{"channel":"\#(request.topic)"}}"#
                let code = try await client.errorCode(command)
                expectEqual(code, request.code, "\(method)")
            }
        }
    }

    @Test(arguments: [
        Case("7", "bare:a", 108), Case("7", "users:a", 103), Case("7", "open:a", 103),
        Case("7", "nowhere:a", 102),
    ])
    func historyIsForSubscribersWhereItIsKept(request: Case) async throws {
        try await withClient(request.user) { hub, client in
            hub.publish(request.topic, "1")
            let command = #"{"id":2,"history":{"channel":"\#(request.topic)","limit":1}}"#
            let code = try await client.errorCode(command)
            expectEqual(code, request.code)
        }
    }

    // MARK: What is told of topics

    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func clientIsToldTheTopicsThatItMayRead() async throws {
        try await withClient("7") { hub, client in
            for name in ["open:a", "own:7", "own:8", "users:a", "staff:a"] {
                hub.publish(name, "1")
            }
            _ = try await client.subscribe(2, "users:a")
            let reply = try await client.command(#"{"id":3,"rpc":{"method":"hub.topics"}}"#)
            let topics = ["open:a", "own:7", "users:a"].map {
                #"{"topic":"\#($0)","offset":1,"epoch":"e1","subscribed":\#($0 == "users:a")}"#
            }
            expectEqual(
                reply,
                #"{"id":3,"rpc":{"data":{"topics":[\#(topics.joined(separator: ","))],"#
                    + #""complete":true}}}"#
            )
        }
    }

    /// Else anyone could count what is published to a topic that is not theirs.
    @Test(arguments: ["own:8", "staff:a", "nowhere:a"])
    func explainSaysNothingOfATopicThatTheClientMayNotRead(topic: String) async throws {
        try await withClient("7") { hub, client in
            if topic != "nowhere:a" { hub.publish(topic, "1", "2", "3") }
            for isRefusedBefore in [false, true] {
                if isRefusedBefore { _ = try await client.subscribe(2, topic) }
                hub.publish("open:a", "1")
                for offset in [1, 3, 4, 1000] {
                    let reply = try await client.command(explain(topic, offset))
                    expectEqual(text("outcome", in: reply), "not_authorized", "offset \(offset)")
                }
            }
        }
    }

    @Test func explainTellsWhatBecameOfAPublication() async throws {
        try await withClient("7") { hub, client in
            hub.publish("open:a", "1")
            _ = try await client.subscribe(2, "open:a")
            hub.publish("open:a", "2")
            _ = try await client.receiveText()
            for (offset, outcome) in [
                (1, "not_subscribed"), (2, "delivered"), (3, "not_published"),
            ] {
                let reply = try await client.command(explain("open:a", offset))
                expectEqual(text("outcome", in: reply), outcome)
                expectEqual(number("offset", in: reply), offset)
            }
        }
    }

    @Test(arguments: [
        (#""method":"hub.explain""#, 107), (#""method":"hub.explain","data":[]"#, 107),
        (#""method":"hub.explain","data":{"topic":"open:a"}"#, 107),
        (#""method":"hub.explain","data":{"topic":"open:a","offset":0}"#, 107),
        (#""method":"hub.explain","data":{"topic":"","offset":1}"#, 107),
        (#""method":"hub.else""#, 104), (#""method":"""#, 104),
    ])
    func callThatIsNoneIsRefused(fields: String, code: Int) async throws {
        try await withClient("") { _, client in
            let found = try await client.errorCode(#"{"id":2,"rpc":{\#(fields)}}"#)
            expectEqual(found, code)
        }
    }

    private func explain(_ topic: String, _ offset: Int) -> String {
        #"{"id":9,"rpc":{"method":"hub.explain","#
            + #""data":{"topic":"\#(topic)","offset":\#(offset)}}}"#
    }
}
