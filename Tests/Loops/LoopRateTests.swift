import Core
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

/// The rates here give one more in some hours, so that no test is faster than they are.
@Suite("Loop: how much of everything", .timeLimit(.minutes(10)))
struct LoopRateTests {
    private static func two() -> RateLimit { RateLimit(perSecond: 0.0001, burst: 2) }

    private func withRates(
        _ change: (inout ClientRates) -> Void,
        connectionsPerUser: Int = 0,
        subscriptionsPerUser: Int = 0,
        _ body: (LoopFixture, TestTokens) async throws -> Void
    ) async throws {
        var rates = ClientRates()
        change(&rates)
        let tokens = try await TestTokens()
        let shared = HubShared(
            clients: ClientCensus(
                rates: rates,
                connectionsPerUserMax: connectionsPerUser,
                subscriptionsPerUserMax: subscriptionsPerUser
            )
        )
        try await withLoops(
            { $0.rates = rates },
            verifier: tokens.verifier,
            shared: shared
        ) { hub in
            try await body(hub, tokens)
        }
    }

    private func client(
        _ hub: LoopFixture,
        _ tokens: TestTokens,
        _ user: String = ""
    ) async throws -> LoopTestClient {
        let client = try hub.connect()
        if user.isEmpty {
            try await client.connectSession()
        } else {
            _ = try await client.connectSession(token: try tokens.connection(user))
        }
        return client
    }

    private let history = #"{"id":9,"history":{"channel":"news:a"}}"#
    private let publish = #"{"id":9,"publish":{"channel":"news:a","data":1}}"#

    private func count(_ hub: LoopFixture, _ bound: Bound) async -> UInt64 {
        await hub.loops[0].snapshot().bounds[bound]
    }

    // MARK: Commands

    @Test func commandOverTheConnectionsRateIsRefused() async throws {
        try await withRates({ $0.connectionCommands = Self.two() }) { hub, tokens in
            let one = try await client(hub, tokens)
            try await expectEqual(one.errorCode(history), 103)
            _ = try await one.subscribe(2, "news:a")
            for command in [
                history, #"{"id":9,"subscribe":{"channel":"news:b"}}"#,
                #"{"id":9,"unsubscribe":{"channel":"news:a"}}"#,
                #"{"id":9,"rpc":{"method":"hub.topics"}}"#,
                #"{"id":9,"presence":{"channel":"news:a"}}"#,
                #"{"id":9,"refresh":{"token":"x"}}"#,
                #"{"id":9,"sub_refresh":{"channel":"news:a","token":"x"}}"#,
            ] {
                let reply = try await one.command(command)
                expectEqual(number("code", in: reply), 111, "\(command)")
                expect(reply.contains(#""temporary":true"#))
            }
            await expectEqual(count(hub, .connectionCommands), 7)
            // Publishing has a rate of its own, and so has everybody else.
            try await expect(one.command(publish).contains(#""push""#))
            let other = try await client(hub, tokens)
            try await expectEqual(other.errorCode(history), 103)
        }
    }

    @Test func publicationOverTheConnectionsRateIsRefusedAndNotPublished() async throws {
        try await withRates({ $0.connectionPublishes = Self.two() }) { hub, tokens in
            let one = try await client(hub, tokens)
            let codes = [
                try await one.errorCode(publish), try await one.errorCode(publish),
                try await one.errorCode(publish),
            ]
            expectEqual(codes, [0, 0, 111])
            await expectEqual(count(hub, .connectionPublishes), 1)
            await expectEqual(hub.loops[0].snapshot().published, ["news": 2])
            try await expectEqual(one.errorCode(history), 103)
        }
    }

    @Test(arguments: ["commands", "publishes"])
    func connectionsOfAUserShareItsRate(kind: String) async throws {
        let bound = kind == "commands" ? Bound.userCommands : .userPublishes
        try await withRates({
            if kind == "commands" {
                $0.userCommands = Self.two()
            } else {
                $0.userPublishes = Self.two()
            }
        }) { hub, tokens in
            let command = kind == "commands" ? history : publish
            let (one, two) = (
                try await client(hub, tokens, "7"), try await client(hub, tokens, "7")
            )
            try await expect(one.errorCode(command) != 111)
            try await expect(two.errorCode(command) != 111)
            try await expectEqual(one.errorCode(command), 111)
            try await expectEqual(two.errorCode(command), 111)
            let other = try await client(hub, tokens, "8")
            try await expect(other.errorCode(command) != 111)
            let nobody = try await client(hub, tokens)
            for _ in 1...4 { try await expect(nobody.errorCode(command) != 111) }
            await expectEqual(count(hub, bound), 2)
        }
    }

    @Test(arguments: ["commands", "publishes"])
    func connectionsOfAnAddressShareItsRate(kind: String) async throws {
        let bound = kind == "commands" ? Bound.addressCommands : .addressPublishes
        try await withRates({
            if kind == "commands" {
                $0.addressCommands = Self.two()
            } else {
                $0.addressPublishes = Self.two()
            }
        }) { hub, tokens in
            let command = kind == "commands" ? history : publish
            let (one, two) = (try await client(hub, tokens), try await client(hub, tokens, "8"))
            try await expect(one.errorCode(command) != 111)
            try await expect(two.errorCode(command) != 111)
            try await expectEqual(one.errorCode(command), 111)
            await expectEqual(count(hub, bound), 1)
        }
    }

    // MARK: Connections

    @Test(arguments: ["address", "handshakes"])
    func connectionOverTheRateIsToldToComeLater(kind: String) async throws {
        let bound = kind == "address" ? Bound.addressConnects : .handshakes
        try await withRates({
            if kind == "address" {
                $0.addressConnects = Self.two()
            } else {
                $0.handshakes = Self.two()
            }
        }) { hub, tokens in
            _ = try await client(hub, tokens)
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:a"))
            try await expectEqual(stream.receiveHead().status, 200)
            for request in [
                webSocketRequest("/connection/websocket"),
                httpRequest("GET", "/events?topics=news:a"),
            ] {
                let refused = try hub.connect()
                try await refused.send(request)
                let response = try await refused.receiveResponse()
                expectEqual(response.status, 503)
                expect((1...5).contains(Int(response.fields["retry-after"] ?? "") ?? 0))
            }
            await expectEqual(count(hub, bound), 2)
            // Other requests are no connections in this sense.
            let page = try hub.connect()
            try await expectEqual(page.get("/").status, 200)
        }
    }

    @Test func userThatConnectsTooOftenIsClosed() async throws {
        try await withRates({ $0.userConnects = Self.two() }) { hub, tokens in
            for _ in 0..<2 { await (try await client(hub, tokens, "7")).close() }
            let third = try hub.connect()
            try await third.upgrade()
            let token = try tokens.connection("7")
            try await third.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            try await expect(third.receiveClose() == (3013, "too many requests"))
            await expectEqual(count(hub, .userConnects), 1)
            _ = try await client(hub, tokens, "8")
        }
    }

    @Test func userWithTooManyConnectionsIsClosedUntilOneGoes() async throws {
        try await withRates({ _ in }, connectionsPerUser: 2) { hub, tokens in
            let first = try await client(hub, tokens, "7")
            let stream = try hub.connect()
            let token = try tokens.connection("7")
            let request = httpRequest(
                "GET",
                "/events?topics=news:a",
                ["Authorization: Bearer \(token)"]
            )
            try await stream.send(request)
            try await expectEqual(stream.receiveHead().status, 200)

            let third = try hub.connect()
            try await third.upgrade()
            try await third.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            try await expect(third.receiveClose() == (3504, "connection limit"))
            let fourth = try hub.connect()
            try await fourth.send(request)
            try await expectEqual(fourth.receiveResponse().status, 503)
            await expectEqual(count(hub, .connectionsPerUser), 2)
            _ = try await client(hub, tokens, "8")

            func waitUntilLeft(_ count: Int) async throws {
                try await hub.wait {
                    await hub.transport.connections(.init(user: "7")).connections.count == count
                }
            }
            for (gone, left) in [(first, 1), (stream, 0)] {
                await gone.close()
                try await waitUntilLeft(left)
                await (try await client(hub, tokens, "7")).close()
                try await waitUntilLeft(left)
            }
        }
    }

    @Test func userWithTooManySubscriptionsIsRefusedUntilOneEnds() async throws {
        try await withRates({ _ in }, subscriptionsPerUser: 2) { hub, tokens in
            let (one, two) = (
                try await client(hub, tokens, "7"), try await client(hub, tokens, "7")
            )
            _ = try await one.subscribe(2, "news:a")
            _ = try await two.subscribe(2, "news:a")
            expectEqual(number("code", in: try await one.subscribe(3, "news:b")), 106)
            await expectEqual(hub.loops[0].subscriptionCount, 2)
            await expectEqual(count(hub, .subscriptionsPerUser), 1)
            // One that is refused for another reason takes no place.
            expectEqual(number("code", in: try await two.subscribe(3, "news:a")), 105)
            _ = try await two.command(#"{"id":4,"unsubscribe":{"channel":"news:a"}}"#)
            try await expect(one.subscribe(5, "news:b").contains(#""subscribe""#))
            expectEqual(number("code", in: try await two.subscribe(5, "news:b")), 106)
            await one.close()
            try await hub.wait { await hub.loops[0].subscriptionCount == 0 }
            for topic in ["news:a", "news:b"] {
                try await expect(two.subscribe(6, topic).contains(#""subscribe""#))
            }
        }
    }

    /// A stream that cannot be served after all must not stay in the user's count.
    @Test func streamThatFindsNoRoomForItsTopicsDoesNotCount() async throws {
        let tokens = try await TestTokens()
        let shared = HubShared(clients: ClientCensus(connectionsPerUserMax: 1))
        try await withLoops(
            verifier: tokens.verifier,
            shared: shared,
            hubLimits: HubLimits(unpublishedTopicsMax: 1)
        ) { hub in
            let field = "Authorization: Bearer \(try tokens.connection("7"))"
            for _ in 0..<2 {
                let stream = try hub.connect()
                try await stream.send(httpRequest("GET", "/events?topics=news:a,news:b", [field]))
                let response = try await stream.receiveResponse()
                expectEqual(response.status, 503)
                expectNil(response.fields["retry-after"], "refused by the census")
            }
            expectEqual(shared.clients.userCount, 0)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }
}
