import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

@Suite("Loop: subscription tokens", .timeLimit(.minutes(10)))
struct LoopSubscriptionTokenTests {
    private static let namespaces = [
        Configuration.Namespace("room") {
            $0.anonymousSubscribe = false
            $0.presence = true
        }
    ]

    private func withClient(
        user: String = "42",
        _ body: (LoopFixture, LoopTestClient, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            if user.isEmpty {
                try await client.connectSession()
            } else {
                _ = try await client.connectSession(token: try tokens.connection(user))
            }
            try await body(hub, client, tokens)
        }
    }

    private func field(_ token: String) -> String { #","token":"\#(token)""# }

    @Test(arguments: ["42", ""])
    func tokenOpensItsTopicToItsUser(user: String) async throws {
        try await withClient(user: user) { hub, client, tokens in
            try await expect(client.subscribe(2, "room:a").contains(#""code":103"#))
            let token = try tokens.subscription(user, "room:a")
            let reply = try await client.subscribe(3, "room:a", field(token))
            expect((3590...3600).contains(number("ttl", in: reply) ?? 0), "\(reply)")
            hub.publish("room:a", "1")
            let push = #"{"push":{"channel":"room:a","pub":{"data":1,"offset":1}}}"#
            try await expectEqual(client.receiveText(), push)
        }
    }

    @Test func othersAreToldWhatTheTokenSaysOfTheSubscriber() async throws {
        try await withClient { _, client, tokens in
            let token = try tokens.subscription("42", "room:a", info: #"{"seat":7}"#)
            _ = try await client.subscribe(2, "room:a", field(token))
            let reply = try await client.command(#"{"id":3,"presence":{"channel":"room:a"}}"#)
            expect(reply.contains(#""user":"42""#))
            expect(reply.contains(#""chan_info":{"seat":7}"#))
        }
    }

    @Test(arguments: [
        ("another topic", 103), ("another user", 103), ("nobody", 103),
        ("wrong signature", 103), ("connection token", 103), ("no token", 103),
        ("expired", 109),
    ])
    func otherTokenOpensNothing(kind: String, code: Int) async throws {
        try await withClient { hub, client, tokens in
            let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
            let token =
                switch kind {
                case "another topic": try tokens.subscription("42", "room:b")
                case "another user": try tokens.subscription("43", "room:a")
                case "nobody": try tokens.subscription("", "room:a")
                case "wrong signature": try foreign.subscription("42", "room:a")
                case "connection token": try tokens.connection("42")
                case "expired":
                    try tokens.subscription(
                        "42",
                        "room:a",
                        lifetime: .seconds(1),
                        age: .seconds(60)
                    )
                default: "room:a"
                }
            let reply = try await client.subscribe(2, "room:a", field(token))
            expectEqual(number("code", in: reply), code)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
            // The connection stays, and gets nothing.
            hub.publish("room:a", "1")
            try await expectEqual(client.errorCode(#"{"id":3,"rpc":{"method":"none"}}"#), 104)
        }
    }

    @Test func tokenOpensNoTopicOfAnUnknownNamespace() async throws {
        try await withClient { _, client, tokens in
            let token = try tokens.subscription("42", "nowhere:a")
            let reply = try await client.subscribe(2, "nowhere:a", field(token))
            expectEqual(number("code", in: reply), 102)
        }
    }

    @Test func subscriptionEndsWithItsTokenAndTheConnectionStays() async throws {
        try await withClient { hub, client, tokens in
            let token = try tokens.subscription("42", "room:a", lifetime: .seconds(60))
            _ = try await client.subscribe(2, "room:a", field(token))
            await hub.loops[0].letTimePass(.seconds(120))
            let push = #"{"push":{"channel":"room:a","unsubscribe":{"code":2501,"#
            try await expect(client.receiveText().hasPrefix(push))
            hub.publish("room:a", "1")
            await expectEqual(hub.loops[0].subscriptionCount, 0)
            let refused = try await client.subscribe(3, "room:a")
            expectEqual(number("code", in: refused), 103)
        }
    }

    @Test func refreshedSubscriptionStays() async throws {
        try await withClient { hub, client, tokens in
            let token = try tokens.subscription("42", "room:a", lifetime: .seconds(60))
            _ = try await client.subscribe(2, "room:a", field(token))
            let fresh = try tokens.subscription("42", "room:a", lifetime: .seconds(600))
            let reply = try await client.command(
                #"{"id":3,"sub_refresh":{"channel":"room:a","token":"\#(fresh)"}}"#
            )
            expect(reply.hasPrefix(#"{"id":3,"sub_refresh":{"expires":true,"ttl":"#))
            expect((590...600).contains(number("ttl", in: reply) ?? 0))
            await hub.loops[0].letTimePass(.seconds(120))
            await expectEqual(hub.loops[0].subscriptionCount, 1)
            await hub.loops[0].letTimePass(.seconds(700))
            let push = #"{"push":{"channel":"room:a","unsubscribe":{"code":2501,"#
            try await expect(client.receiveText().hasPrefix(push))
        }
    }

    @Test(arguments: [
        ("another topic", 103), ("another user", 103), ("wrong signature", 103),
        ("connection token", 103), ("not subscribed", 107),
    ])
    func refreshThatProvesNothingGivesNoTime(kind: String, code: Int) async throws {
        try await withClient { hub, client, tokens in
            let token = try tokens.subscription("42", "room:a", lifetime: .seconds(60))
            _ = try await client.subscribe(2, "room:a", field(token))
            let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
            let topic = kind == "not subscribed" ? "room:b" : "room:a"
            let other =
                switch kind {
                case "another topic", "not subscribed": try tokens.subscription("42", "room:b")
                case "another user": try tokens.subscription("43", "room:a")
                case "wrong signature": try foreign.subscription("42", "room:a")
                default: try tokens.connection("42")
                }
            let refresh =
                #"{"id":3,"sub_refresh":{"channel":"\#(topic)","token":"\#(other)"}}"#
            try await expectEqual(client.errorCode(refresh), code)
            await expectEqual(hub.loops[0].subscriptionCount, 1)
            await hub.loops[0].letTimePass(.seconds(120))
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    /// As for a connection: SDKs return after this code, and get a fresh token for the topic.
    @Test func refreshWithAnExpiredTokenEndsTheConnectionForNow() async throws {
        try await withClient { hub, client, tokens in
            let token = try tokens.subscription("42", "room:a", lifetime: .seconds(60))
            _ = try await client.subscribe(2, "room:a", field(token))
            let expired = try tokens.subscription(
                "42",
                "room:a",
                lifetime: .seconds(1),
                age: .seconds(60)
            )
            try await client.sendText(
                #"{"id":3,"sub_refresh":{"channel":"room:a","token":"\#(expired)"}}"#
            )
            try await expect(client.receiveClose() == (3006, "subscription expired"))
            try await hub.settle()
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test(arguments: ["subscribe", "sub_refresh"])
    func tokenWhoseKeyMayJustHaveBeenPublishedMayBeTriedAgain(method: String) async throws {
        let tokens = try await TestTokens(published: [])
        let token = TestTokens.unsigned(
            header: #"{"alg":"RS256","kid":"fresh"}"#,
            claims: #"{"sub":"42","channel":"room:a"}"#
        )
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            if method == "sub_refresh" {
                let good = try tokens.subscription("42", "room:a")
                _ = try await client.subscribe(2, "room:a", field(good))
            }
            let command = #"{"id":3,"\#(method)":{"channel":"room:a","token":"\#(token)"}}"#
            try await expectEqual(client.errorCode(command), 100)
        }
    }
}
