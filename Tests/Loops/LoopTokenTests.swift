import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

@Suite("Loop: connection tokens", .timeLimit(.minutes(10)))
struct LoopTokenTests {
    private static let namespaces = [
        Configuration.Namespace("news"),
        Configuration.Namespace("own") {
            $0.anonymousSubscribe = false
            $0.subscribe = .owner
            $0.publish = .owner
        },
        Configuration.Namespace("closed") { $0.anonymousSubscribe = false },
        Configuration.Namespace("sealed") {
            $0.anonymousSubscribe = false
            $0.subscribe = .nobody
        },
    ]

    // MARK: Connect

    @Test func clientIsTheUserOfItsToken() async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let token = try tokens.connection("42", info: #"{"name":"Kari"}"#)
            let reply = try await client.command(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            expect(reply.contains(#""expires":true"#))
            expect((3590...3600).contains(number("ttl", in: reply) ?? 0), "\(reply)")
            let id = try require(text("client", in: reply))
            _ = try await client.subscribe(2, "own:42")
            let pushed = try await client.command(
                #"{"id":3,"publish":{"channel":"own:42","data":1}}"#
            )
            let info = #"{"user":"42","client":"\#(id)","conn_info":{"name":"Kari"}}"#
            expect(pushed.hasSuffix(#""offset":1,"info":\#(info)}}}"#))
        }
    }

    @Test func tokenThatNeverExpiresHasNoTimeToLive() async throws {
        let tokens = try await TestTokens()
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let token = try tokens.connection("42", lifetime: nil)
            let reply = try await client.command(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            expect(!reply.contains("expires"))
        }
    }

    @Test func clientWithAnExpiredTokenMayTryAnother() async throws {
        let tokens = try await TestTokens()
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let expired = try tokens.expiredConnection("42")
            // What comes along with the connect command is refused with it.
            let reply = try await client.command(
                #"{"id":1,"connect":{"token":"\#(expired)"}}"# + "\n"
                    + #"{"id":2,"subscribe":{"channel":"news:a"}}"#
            )
            expect(reply.hasPrefix(#"{"id":1,"error":{"code":109,"#))
            try await expect(client.receiveText().hasPrefix(#"{"id":2,"error":{"code":109,"#))
            await expectEqual(hub.loops[0].subscriptionCount, 0)
            let good = try tokens.connection("42")
            let next = try await client.command(#"{"id":3,"connect":{"token":"\#(good)"}}"#)
            expect(next.hasPrefix(#"{"id":3,"connect":{"client":""#))
        }
    }

    @Test(arguments: [
        "wrong signature", "none", "another audience", "no token", "subscription token",
        "altered",
    ])
    func tokenThatProvesNothingClosesTheConnection(kind: String) async throws {
        let tokens = try await TestTokens(audience: "varde")
        let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
        let good = try tokens.connection("42", audience: "varde")
        let token =
            switch kind {
            case "wrong signature": try foreign.connection("42", audience: "varde")
            case "none":
                TestTokens.unsigned(
                    header: #"{"alg":"none"}"#,
                    claims: #"{"sub":"42","aud":"varde"}"#
                )
            case "another audience": try tokens.connection("42", audience: "other")
            case "subscription token": try tokens.subscription("42", "news:a")
            case "altered": String(good.dropLast(4)) + (good.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            default: "42"
            }
        let shared = HubShared()
        try await withLoops(verifier: tokens.verifier, shared: shared) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            // Nothing behind it is carried out either.
            try await client.sendText(
                #"{"id":1,"connect":{"token":"\#(token)"}}"# + "\n"
                    + #"{"id":2,"publish":{"channel":"news:a","data":1}}"#
            )
            try await expect(client.receiveClose() == (3500, "invalid token"))
            expectEqual(shared.clients.userCount, 0)
            let counters = await hub.loops[0].snapshot()
            expectEqual(counters.tokensRefused.values.reduce(0, +), 1)
            expect(counters.published.isEmpty)
        }
    }

    @Test func tokenIsTakenOnlyByWhoHasAKey() async throws {
        let tokens = try await TestTokens()
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let token = try tokens.connection("42")
            try await client.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            try await expectEqual(client.receiveClose().code, 3500)
        }
    }

    @Test func keyThatMayJustHaveBeenPublishedIsAskedForAndTheClientTriesAgain() async throws {
        let tokens = try await TestTokens(published: [])
        let asked = Locked(0)
        let shared = HubShared(keyWasUnknown: { asked.withLock { $0 += 1 } })
        let token = TestTokens.unsigned(
            header: #"{"alg":"RS256","kid":"fresh"}"#,
            claims: #"{"sub":"42"}"#
        )
        try await withLoops(verifier: tokens.verifier, shared: shared) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            expect(reply.hasPrefix(#"{"id":1,"error":{"code":100,"#))
            expect(reply.contains(#""temporary":true"#))
            expectEqual(asked.withLock { $0 }, 1)
        }
    }

    @Test func clientWithoutATokenIsRefusedWhereOneIsRequired() async throws {
        let tokens = try await TestTokens()
        try await withLoops({ $0.requiresToken = true }, verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            try await expectEqual(client.errorCode(#"{"id":1,"connect":{}}"#), 101)
            try await expectEqual(client.errorCode(#"{"id":2,"connect":{"token":""}}"#), 101)
            let token = try tokens.connection("42")
            let reply = try await client.command(#"{"id":3,"connect":{"token":"\#(token)"}}"#)
            expect(reply.hasPrefix(#"{"id":3,"connect":"#))
        }
    }

    @Test func refusedTokenIsLoggedByItsCodeAndWithoutAPartOfIt() async throws {
        let tokens = try await TestTokens()
        let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
        let (logger, lines) = StreamedLog.make()
        try await withLoops(verifier: tokens.verifier, logger: logger) { hub in
            let token = try foreign.connection("42")
            let client = try hub.connect()
            try await client.upgrade()
            try await client.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            _ = try await client.receiveClose()
            for (query, field) in [
                ("&token=\(token)", "X: y"), ("", "Authorization: Bearer \(token)"),
            ] {
                let stream = try hub.connect()
                let target = "/events?topics=news:a" + query
                try await stream.send(httpRequest("GET", target, [field]))
                try await expectEqual(stream.receiveHead().status, 401)
            }
            let subscriber = try hub.connect()
            _ = try await subscriber.connectSession(token: try tokens.connection("42"))
            let other = try foreign.subscription("42", "news:a")
            _ = try await subscriber.subscribe(2, "news:a", #","token":"\#(other)""#)

            let parts = (token + "." + other).split(separator: ".")
            var refusedCount = 0
            for await line in lines {
                let text = "\(line.message) \(line.metadata)"
                for part in parts { expect(!text.contains(part.prefix(12)), "\(text)") }
                guard line.message == "token refused" else { continue }
                expectEqual(line.metadata["code"], "signature")
                refusedCount += 1
                if refusedCount == 4 { break }
            }
        }
    }

    // MARK: Subscriptions of the token

    @Test func subscriptionsOfATokenAreMadeWithTheConnection() async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            hub.publish("closed:a", "1")
            let client = try hub.connect()
            try await client.upgrade()
            // A namespace that is for nobody is not opened by a token either.
            let topics = ["closed:a", "nowhere:a", "sealed:a"]
            let token = try tokens.connection("42", topics: topics)
            let reply = try await client.command(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            let made = #""recoverable":true,"positioned":true,"epoch":"e1","offset":1,"#
            expect(
                reply.hasSuffix(
                    #""subs":{"closed:a":{"# + made
                        + #""was_recovering":false,"recovered":false}}}}"#
                )
            )
            hub.publish("closed:a", "2")
            let push = #"{"push":{"channel":"closed:a","pub":{"data":2,"offset":2}}}"#
            try await expectEqual(client.receiveText(), push)
        }
    }

    @Test func subscriptionsOfATokenGoOnWhereTheClientLeftOff() async throws {
        let tokens = try await TestTokens()
        try await withLoops(namespaces: Self.namespaces, verifier: tokens.verifier) { hub in
            hub.publish("closed:a", "1", "2", "3")
            let client = try hub.connect()
            try await client.upgrade()
            let token = try tokens.connection("42", topics: ["closed:a"])
            // A topic that the token does not name is not subscribed to by asking for it here.
            let former = #"{"recover":true,"epoch":"e1","offset":1}"#
            let reply = try await client.command(
                #"{"id":1,"connect":{"token":"\#(token)","#
                    + #""subs":{"closed:a":\#(former),"closed:b":\#(former)}}}"#
            )
            expect(reply.contains(#""offset":1,"was_recovering":true,"recovered":true"#))
            expectEqual(offsets(in: reply), [2, 3])
            expect(!reply.contains("closed:b"))
        }
    }

    // MARK: Refresh

    @Test func connectionEndsWithItsToken() async throws {
        let tokens = try await TestTokens()
        let shared = HubShared()
        try await withLoops(verifier: tokens.verifier, shared: shared) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            expectEqual(shared.clients.userCount, 1)
            await hub.loops[0].letTimePass(.seconds(3700))
            try await expect(client.receiveClose() == (3005, "connection expired"))
            expectEqual(shared.clients.userCount, 0)
        }
    }

    @Test func refreshedConnectionStays() async throws {
        let tokens = try await TestTokens()
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            let fresh = try tokens.connection("42", lifetime: .seconds(7200))
            let reply = try await client.command(#"{"id":2,"refresh":{"token":"\#(fresh)"}}"#)
            expect(reply.hasPrefix(#"{"id":2,"refresh":{"client":""#))
            expect((7190...7200).contains(number("ttl", in: reply) ?? 0))
            await hub.loops[0].letTimePass(.seconds(3700))
            try await expectEqual(client.receiveTextOrPing(), "{}")
            try await client.sendText("{}")
            try await hub.settle()
            await hub.loops[0].letTimePass(.seconds(7300))
            try await expectEqual(client.receiveClose().code, 3005)
        }
    }

    /// SDKs return after this code, also with the expired token, and get a fresh one when they are told
    /// 109 then.
    @Test func refreshWithAnExpiredTokenEndsTheConnectionForNow() async throws {
        let tokens = try await TestTokens()
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            let expired = try tokens.expiredConnection("42")
            try await client.sendText(#"{"id":2,"refresh":{"token":"\#(expired)"}}"#)
            try await expect(client.receiveClose() == (3005, "connection expired"))
            let returned = try hub.connect()
            try await returned.upgrade()
            let connect = #"{"id":1,"connect":{"token":"\#(expired)"}}"#
            try await expectEqual(returned.errorCode(connect), 109)
        }
    }

    @Test func refreshWithAKeyThatMayJustHaveBeenPublishedMayBeTriedAgain() async throws {
        let tokens = try await TestTokens(published: [])
        let token = TestTokens.unsigned(
            header: #"{"alg":"RS256","kid":"fresh"}"#,
            claims: #"{"sub":"42"}"#
        )
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            let refresh = #"{"id":2,"refresh":{"token":"\#(token)"}}"#
            try await expectEqual(client.errorCode(refresh), 100)
            let fresh = try tokens.connection("42")
            let reply = try await client.command(#"{"id":3,"refresh":{"token":"\#(fresh)"}}"#)
            expect(reply.hasPrefix(#"{"id":3,"refresh":{"client":""#))
        }
    }

    @Test(arguments: ["another user", "nobody", "wrong signature"])
    func refreshThatProvesNothingClosesTheConnection(kind: String) async throws {
        let tokens = try await TestTokens()
        let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
        try await withLoops(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("42"))
            let token =
                switch kind {
                case "another user": try tokens.connection("43")
                case "nobody": try tokens.connection("")
                default: try foreign.connection("42")
                }
            try await client.sendText(#"{"id":2,"refresh":{"token":"\#(token)"}}"#)
            try await expect(client.receiveClose() == (3500, "invalid token"))
        }
    }
}
