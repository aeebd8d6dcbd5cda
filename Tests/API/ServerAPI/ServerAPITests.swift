import ClientWire
import Expectations
import HubTesting
import LoopTesting

@testable import API

@Suite("Server API: answers", .timeLimit(.minutes(10)))
struct ServerAPITests {
    @Test func vectorsAreAnsweredToTheByte() async throws {
        let cases = try ServerAPIVectors.load()
        expect(cases.count > 50)
        for vector in cases {
            let response = try await require(
                ServerAPIFixture().respond("/api/\(vector.method)", vector.body)
            )
            expectEqual(response.head.status, vector.status, "\(vector.name)")
            guard !vector.answer.isEmpty else { continue }
            expectEqual(response.text, vector.answer, "\(vector.name)")
            expectEqual(response.head.headers.first("Content-Type"), "application/json")
        }
    }

    @Test func methodThatIsNotOfferedIsSaidNotToBeAvailable() async throws {
        for name in ServerAPIMethod.notOffered {
            let response = try await require(ServerAPIFixture().respond("/api/\(name)", "x"))
            expectEqual(response.head.status, 200)
            expectEqual(
                response.text,
                #"{"error":{"code":108,"message":"\#(name) is not available"}}"#
            )
        }
    }

    @Test(arguments: [
        "/api", "/api/", "/api/publish/", "/api/Publish", "/api/health", "/api/aurora/now", "/",
        "/publish", "/apipublish", "*", "",
    ])
    func otherPathIsNotTheAPIs(path: String) async {
        await expectNil(ServerAPIFixture().respond(path))
    }

    @Test func limitsAreThoseThatWereGiven() async throws {
        let fixture = ServerAPIFixture(limits: ServerAPILimits(commandsMax: 1))
        let response = try await require(
            fixture.respond("/api/batch", #"{"commands":[{"info":{}},{"info":{}}]}"#)
        )
        expectEqual(response.head.status, 400)
        expectEqual(
            response.text,
            #"{"error":{"code":106,"message":"commands: 2 commands over limit 1"}}"#
        )
    }
}

@Suite("Server API: what is asked of the hub", .timeLimit(.minutes(10)))
struct ServerAPICallsTests {
    private let fixture = ServerAPIFixture()
    private let chat = Topic(trusted: "chat:1")

    private func publication(_ topic: String, _ data: String) -> NewPublication {
        NewPublication(topic: Topic(trusted: topic), data: Array(data.utf8))
    }

    /// One header at most is read; a malformed one counts as missing.
    @Test func publicationHasTheTraceOfTheRequest() async {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let body = #"{"channel":"chat:1","data":1}"#
        for (values, tags) in [
            ([header], ["traceparent": header]), ([], [:]), ([header, header], [:]), (["x"], [:]),
        ] {
            let fixture = ServerAPIFixture()
            var headers = ServerAPIFixture.headers
            for value in values { headers.append("Traceparent", value) }
            let response = await fixture.respond("/api/publish", body, headers: headers)
            expectEqual(response?.head.status, 200)
            var expected = publication("chat:1", "1")
            expected.tags = tags
            await expectEqual(fixture.hub.calls, [.publish([expected])])
        }
    }

    @Test func eachMethodIsOneCall() async {
        let cases: [(method: String, body: String, call: RecordingHub.Call)] = [
            ("publish", #"{"channel":"chat:1","data":1}"#, .publish([publication("chat:1", "1")])),
            (
                "broadcast", #"{"channels":["chat:1","-","b c"],"data":1}"#,
                .publish([publication("chat:1", "1"), publication("-", "1")])
            ),
            (
                "subscribe", #"{"user":"u","channel":"chat:1"}"#,
                .subscribe(.init(connections: .init(user: "u"), topic: chat))
            ),
            (
                "unsubscribe", #"{"user":"u","channel":"chat:1","session":"s"}"#,
                .unsubscribe(.init(user: "u", session: "s"), chat)
            ),
            (
                "disconnect", #"{"user":"u","whitelist":["c"]}"#,
                .disconnect(.init(connections: .init(user: "u"), spared: ["c"]))
            ),
            (
                "refresh", #"{"user":"u","expired":true}"#,
                .refresh(.init(connections: .init(user: "u"), expiry: .now))
            ),
            ("presence", #"{"channel":"chat:1"}"#, .presence(chat)),
            ("presence_stats", #"{"channel":"chat:1"}"#, .presenceStats(chat)),
            (
                "history", #"{"channel":"chat:1","limit":3}"#,
                .history(.init(topic: chat, limit: .count(3)))
            ),
            ("history_remove", #"{"channel":"chat:1"}"#, .removeHistory(chat)),
            (
                "history_remove", #"{"channel":"chat:1","tag":{"author":"7"}}"#,
                .erase(Erasure(topic: chat, tag: "author", value: "7"))
            ),
            ("channels", "{}", .channels(.everything)), ("info", "", .nodes),
            ("get_user_status", #"{"users":["ann"]}"#, .statuses(["ann"])),
        ]
        for (method, body, _) in cases { _ = await fixture.respond("/api/\(method)", body) }
        await expectEqual(fixture.hub.calls, cases.map(\.call))
    }

    @Test func broadcastToNoTopicAsksForNothing() async throws {
        let response = try await require(
            fixture.respond("/api/broadcast", #"{"channels":["b c"],"data":1}"#)
        )
        expect(response.text.contains("forbidden byte"))
        await expect(fixture.hub.calls.isEmpty)
    }

    private let commands = #"""
        {"publish":{"channel":"a","data":1}},{"broadcast":{"channels":["b","c"],"data":2}},
        {"publish":{}},{"presence":{"channel":"a"}},{"publish":{"channel":"d","data":3}},
        {"history_remove":{"channel":"a"}}
        """#

    /// A failed command between them is none that has to see the ones before it.
    @Test func publicationsOfABatchWithoutAnotherCommandBetweenAreOneCommit() async {
        _ = await fixture.respond("/api/batch", #"{"commands":[\#(commands)]}"#)
        await expectEqual(
            fixture.hub.calls,
            [
                .publish([publication("a", "1"), publication("b", "2"), publication("c", "2")]),
                .presence(Topic(trusted: "a")),
                .publish([publication("d", "3")]),
                .removeHistory(Topic(trusted: "a")),
            ]
        )
    }

    @Test func publicationsOfAParallelBatchAreOneCommit() async throws {
        let response = try await require(
            fixture.respond(
                "/api/batch",
                #"{"commands":[\#(commands)],"parallel":true}"#
            )
        )
        await expectEqual(
            fixture.hub.calls,
            [
                .presence(Topic(trusted: "a")), .removeHistory(Topic(trusted: "a")),
                .publish([
                    publication("a", "1"), publication("b", "2"), publication("c", "2"),
                    publication("d", "3"),
                ]),
            ]
        )
        let replies = try JSONReader.elements(
            of: JSONReader.fields(of: response.body[...])[0].value
        )
        try expectEqual(
            replies.map { try JSONReader.fields(of: $0)[0].key },
            [
                "publish", "broadcast", "error", "presence", "publish", "history_remove",
            ],
            "replies are in the order of the commands"
        )
    }

    @Test func refusedRequestAsksForNothing() async {
        for body in ["", "[]", "{}", "x", #"{"channel":"a b","data":1}"#] {
            _ = await fixture.respond("/api/publish", body)
            _ = await fixture.respond("/api/batch", body)
        }
        await expect(fixture.hub.calls.isEmpty)
    }
}

@Suite("Server API: topics that only the leader of a cluster has", .timeLimit(.minutes(10)))
struct ServerAPILeaderTests {
    private static let topic = #""channel":"leaders:1""#

    /// So that a proxy can repeat the request on another node.
    @Test(arguments: [
        ("publish", "{\(topic),\"data\":1}"),
        ("broadcast", #"{"channels":["chat:1","leaders:1"],"data":1}"#),
        ("subscribe", "{\(topic),\"user\":\"u\"}"), ("presence", "{\(topic)}"),
        ("presence_stats", "{\(topic)}"), ("history", "{\(topic)}"),
        ("history_remove", "{\(topic)}"), ("connections", "{\(topic)}"),
        ("batch", "{\"commands\":[{\"info\":{}},{\"publish\":{\(topic),\"data\":1}}]}"),
        ("batch", "{\"parallel\":true,\"commands\":[{\"history\":{\(topic)}},{\"info\":{}}]}"),
    ])
    func otherNodeRefusesThemBeforeAnyEffect(method: String, body: String) async throws {
        let fixture = ServerAPIFixture()
        let response = try await require(fixture.respond("/api/\(method)", body))
        expectEqual(response.head.status, 503)
        expectEqual(response.head.headers.first("Retry-After"), "1")
        let message =
            "this node does not lead the cluster, and only the leader has topic leaders:1;"
            + " try again, or ask another node"
        expectEqual(response.text, #"{"error":{"code":100,"message":"\#(message)"}}"#)
        await expect(fixture.hub.calls.isEmpty)
    }

    /// Every node ends subscriptions, on all nodes.
    @Test func requestsThatNeedNoTopicAreCarriedOut() async throws {
        let fixture = ServerAPIFixture()
        let body = "{\(Self.topic),\"user\":\"u\"}"
        let response = try await require(fixture.respond("/api/unsubscribe", body))
        expectEqual(response.head.status, 200)
        await expectEqual(fixture.hub.calls.count, 1)
    }
}
