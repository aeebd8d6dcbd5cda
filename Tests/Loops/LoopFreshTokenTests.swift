import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// What a fresh token of a connection changes, beside how long it lasts.
@Suite("Loop: rights of a fresh token", .timeLimit(.minutes(10)))
struct LoopFreshTokenTests {
    private static let namespaces = [
        Configuration.Namespace("staff") {
            $0.anonymousSubscribe = false
            $0.subscribe = .members
            $0.members = ["staff"]
        },
        Configuration.Namespace("open") {
            $0.publish = .anyone
            $0.presence = true
        },
    ]

    private func withMember(
        _ body: (LoopFixture, LoopTestClient, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            let token = try tokens.connection("42", groups: ["staff"])
            _ = try await client.connectSession(token: token)
            try await body(hub, client, tokens)
        }
    }

    private func refresh(_ id: Int, _ token: String) -> String {
        #"{"id":\#(id),"refresh":{"token":"\#(token)"}}"#
    }

    @Test func whoIsNoMemberAnyMoreLosesWhatMembersHave() async throws {
        try await withMember { hub, client, tokens in
            _ = try await client.subscribe(2, "staff:a")
            _ = try await client.subscribe(3, "open:a")
            let granted = try tokens.subscription("42", "staff:b")
            _ = try await client.subscribe(4, "staff:b", #","token":"\#(granted)""#)
            let reply = try await client.command(refresh(5, try tokens.connection("42")))
            expect(reply.hasPrefix(#"{"id":5,"refresh":{"#))
            let push = #"{"push":{"channel":"staff:a","unsubscribe":{"code":2000,"#
            try await expect(client.receiveText().hasPrefix(push))
            try await expect(client.subscribe(6, "staff:a").contains(#""code":103"#))
            hub.publish("staff:a", "1")
            hub.publish("staff:b", "2")
            hub.publish("open:a", "3")
            // What has a token of its own, and what is open to all, goes on.
            try await expect(client.receiveText().contains(#""channel":"staff:b""#))
            try await expect(client.receiveText().contains(#""channel":"open:a""#))
        }
    }

    @Test func whoIsAMemberNowGetsWhatMembersHave() async throws {
        try await withMember { _, client, tokens in
            _ = try await client.command(refresh(2, try tokens.connection("42")))
            try await expect(client.subscribe(3, "staff:a").contains(#""code":103"#))
            let token = try tokens.connection("42", groups: ["staff"])
            _ = try await client.command(refresh(4, token))
            try await expect(client.subscribe(5, "staff:a").contains(#""recoverable":true"#))
        }
    }

    @Test func othersAreToldWhatTheFreshTokenSays() async throws {
        try await withMember { _, client, tokens in
            let token = try tokens.connection("42", info: #"{"name":"Kari"}"#)
            _ = try await client.command(refresh(2, token))
            _ = try await client.subscribe(3, "open:a")
            let presence = try await client.command(#"{"id":4,"presence":{"channel":"open:a"}}"#)
            expect(presence.contains(#""conn_info":{"name":"Kari"}"#))
        }
    }

    @Test func nothingBehindARefreshThatEndsTheConnectionIsCarriedOut() async throws {
        try await withMember { hub, client, _ in
            try await client.sendText(
                refresh(2, "none") + "\n"
                    + #"{"id":3,"publish":{"channel":"open:a","data":1}}"# + "\n"
                    + #"{"id":4,"subscribe":{"channel":"open:b"}}"#
            )
            try await expect(client.receiveClose() == (3500, "invalid token"))
            try await hub.settle()
            let (published, topics) = await hub.loops[0].perform {
                ($0.snapshot().published, $0.hub.topicCount)
            }
            expect(published.isEmpty)
            expectEqual(topics, 0)
        }
    }
}
