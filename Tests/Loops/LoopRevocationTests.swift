import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import Service
import TokenTesting

@testable import Loops

@Suite("Loop: what revoked tokens have opened", .timeLimit(.minutes(10)))
struct LoopRevocationTests {
    private static let namespaces = [
        Configuration.Namespace("room") { $0.anonymousSubscribe = false },
        Configuration.Namespace("news"),
    ]

    private func withHub(
        _ body: (LoopFixture, TestTokens, Revocations) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        let shared = HubShared(endedLogins: EndedLogins(accessTokenLifetime: .seconds(86_400)))
        try await withLoops(
            namespaces: Self.namespaces,
            verifier: tokens.verifier,
            shared: shared
        ) { hub in
            try await body(hub, tokens, shared.endedLogins.revocations)
        }
    }

    /// A token with these claims, of the issuer of all others.
    private func token(_ claims: String) -> String {
        let parts = [#"{"alg":"HS256"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
        let signed = parts.joined(separator: ".")
        let key = Array(TestTokens.secret.utf8)
        return signed + "." + Base64URL.encode(hmacSHA256(key: key, message: Array(signed.utf8)))
    }

    private func connect(_ hub: LoopFixture, _ token: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        _ = try await client.connectSession(token: token)
        return client
    }

    /// Subscribes with a token of this user for the topic, whose name is also that of the token.
    private func subscribe(
        _ client: LoopTestClient,
        _ user: String,
        _ topic: String
    ) async throws {
        let claims = #"{"sub":"\#(user)","channel":"\#(topic)","jti":"\#(topic)"}"#
        let reply = try await client.subscribe(2, topic, #","token":"\#(token(claims))""#)
        expect(reply.contains(#""subscribe""#), "\(reply)")
    }

    private func end(_ hub: LoopFixture, user: String? = nil) async -> EndedByRevocation {
        await hub.loops[0].perform { $0.endRevoked(user: user) }
    }

    private func push(_ topic: String) -> String {
        #"{"push":{"channel":"\#(topic)","unsubscribe":{"code":2000,"reason":"server unsubscribe"}}}"#
    }

    @Test(arguments: ["42", ""])
    func subscriptionEndsWithItsTokenAndTheConnectionStays(user: String) async throws {
        try await withHub { hub, _, revocations in
            let client = try await connect(hub, token(#"{"sub":"\#(user)","jti":"c"}"#))
            for topic in ["room:a", "room:b"] { try await subscribe(client, user, topic) }
            _ = try await client.subscribe(3, "news:a")
            revocations.change { $0.add(Revocation(.token("room:a"))) }
            await expectEqual(end(hub), EndedByRevocation(subscriptions: 1))
            try await expectEqual(client.receiveText(), push("room:a"))
            hub.publish("room:a", "1")
            hub.publish("room:b", "2")
            try await expect(client.receiveText().contains(#""channel":"room:b""#))
            await expectEqual(hub.loops[0].subscriptionCount, 2)
            await expectEqual(end(hub), EndedByRevocation(), "nothing ends twice")
        }
    }

    @Test func olderTokensOfTheUserEndTheirSubscriptions() async throws {
        try await withHub { hub, tokens, revocations in
            let client = try await connect(hub, try tokens.connection("42"))
            let old = try tokens.subscription("42", "room:a", age: .seconds(60))
            _ = try await client.subscribe(2, "room:a", #","token":"\#(old)""#)
            let fresh = try tokens.subscription("42", "room:b")
            _ = try await client.subscribe(3, "room:b", #","token":"\#(fresh)""#)
            let other = try await connect(hub, try tokens.connection("43"))
            let others = try tokens.subscription("43", "room:a", age: .seconds(60))
            _ = try await other.subscribe(2, "room:a", #","token":"\#(others)""#)
            revocations.change {
                let before = HubClock.wall - .seconds(30)
                $0.add(Revocation(.tokens(ofUser: "42"), before: before))
            }
            await expectEqual(end(hub, user: "42"), EndedByRevocation(subscriptions: 1))
            try await expectEqual(client.receiveText(), push("room:a"))
            await expectEqual(hub.loops[0].subscriptionCount, 2)
        }
    }

    @Test func subscriptionGoesWithTheTokenThatRefreshedItLast() async throws {
        try await withHub { hub, _, revocations in
            let client = try await connect(hub, token(#"{"sub":"42"}"#))
            try await subscribe(client, "42", "room:a")
            let fresh = token(#"{"sub":"42","channel":"room:a","jti":"fresh"}"#)
            let refresh = #"{"id":3,"sub_refresh":{"channel":"room:a","token":"\#(fresh)"}}"#
            try await expect(client.command(refresh).contains(#""sub_refresh""#))
            revocations.change { $0.add(Revocation(.token("room:a"))) }
            await expectEqual(end(hub), EndedByRevocation())
            revocations.change { $0.add(Revocation(.token("fresh"))) }
            await expectEqual(end(hub), EndedByRevocation(subscriptions: 1))
            try await expectEqual(client.receiveText(), push("room:a"))
        }
    }

    /// The connection goes with its last token, its subscriptions with the token that named them.
    @Test func subscriptionOfAFormerConnectionTokenEnds() async throws {
        try await withHub { hub, _, revocations in
            let first = #"{"sub":"42","jti":"first","subs":{"room:a":{}}}"#
            let client = try await connect(hub, token(first))
            let fresh = token(#"{"sub":"42","jti":"second"}"#)
            _ = try await client.command(#"{"id":2,"refresh":{"token":"\#(fresh)"}}"#)
            revocations.change { $0.add(Revocation(.token("first"))) }
            await expectEqual(end(hub), EndedByRevocation(subscriptions: 1))
            try await expectEqual(client.receiveText(), push("room:a"))
            revocations.change { $0.add(Revocation(.token("second"))) }
            await expectEqual(end(hub), EndedByRevocation(connections: 1))
            try await expect(client.receiveClose() == (3500, "invalid token"))
        }
    }

    @Test func blockedUserLosesTheConnectionOnce() async throws {
        try await withHub { hub, tokens, revocations in
            let client = try await connect(hub, try tokens.connection("42", topics: ["room:b"]))
            try await subscribe(client, "42", "room:a")
            revocations.change { $0.add(Revocation(.user("42"))) }
            await expectEqual(end(hub, user: "42"), EndedByRevocation(connections: 1))
            try await expect(client.receiveClose() == (3500, "invalid token"))
        }
    }

    @Test func clientWithoutAWebSocketLosesTheSubscription() async throws {
        try await withHub { hub, _, revocations in
            let subscription = token(#"{"sub":"42","channel":"room:a","jti":"s"}"#)
            let commands =
                #"{"id":1,"connect":{"token":"\#(token(#"{"sub":"42"}"#))"}}"# + "\n"
                + #"{"id":2,"subscribe":{"channel":"room:a","token":"\#(subscription)"}}"#
            let client = try hub.connect()
            try await client.send(httpRequest("POST", "/connection/http_stream", body: commands))
            try await expectEqual(client.receiveHead().status, 200)
            _ = try await client.receive(through: #"{"id":2,"subscribe""#)
            revocations.change { $0.add(Revocation(.token("s"))) }
            await expectEqual(end(hub), EndedByRevocation(subscriptions: 1))
            try await expect(client.receive(through: push("room:a")).hasSuffix(push("room:a")))
            await client.close()
        }
    }
}
