import Core
import Expectations
import HubTesting
import LoopTesting
import Reactor
import TokenTesting

@testable import Loops

@Suite("Loop: commands whose position is ahead", .timeLimit(.minutes(10)))
struct LoopPositionWaitsTests {
    private static func recover(_ id: Int, _ topic: String, _ offset: UInt64) -> String {
        #"{"id":\#(id),"subscribe":{"channel":"\#(topic)","recover":true,"epoch":"e1","#
            + #""offset":\#(offset)}}"#
    }

    private static func connected(to hub: SteppedLoop) throws -> SteppedClient {
        let client = try hub.connectSession()
        expectEqual(client.messages().count, 1)
        return client
    }

    /// It has seen three publications on another node, and this one has two.
    private static func waiting(on hub: SteppedLoop) throws -> SteppedClient {
        hub.publish("news:a", "1")
        hub.publish("news:a", "2")
        let client = try connected(to: hub)
        client.sendText(recover(2, "news:a", 3))
        expectEqual(client.messages(), [])
        expectEqual(hub.questionCount, 1)
        expectEqual(hub.waitCount, 1)
        return client
    }

    @Test func subscriberMissesNothingOnceTheNodeHasCaughtUp() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        hub.publish("news:a", "3")
        hub.publish("news:a", "4")
        expectEqual(client.messages(), [], "only the barrier shows that this is all")
        hub.answer()
        let missed = #"{"data":4,"offset":4}"#
        expectEqual(client.messages(), [subscribed(2, offset: 3, recovered: true, missed: missed)])
        hub.publish("news:a", "5")
        expectEqual(client.messages(), [pushed("news:a", "5", 5)])
        expectEqual(hub.waitCount, 1)
        expectEqual(hub.postponedCount, 0)
        expectEqual(hub.ask { $0.counted.bounds[.turnWork] }, 0, "waiting is no work")
    }

    @Test func positionThatIsReachedDoesNotWait() throws {
        let hub = try SteppedLoop()
        hub.publish("news:a", "1")
        let client = try Self.connected(to: hub)
        client.sendText(Self.recover(2, "news:a", 1))
        expectEqual(client.messages(), [subscribed(2, offset: 1, recovered: true)])
        expectEqual(hub.questionCount, 0)
        expectEqual(hub.waitCount, 0)
    }

    @Test func singleNodeAnswersAtOnce() throws {
        let hub = try SteppedLoop(hasBarrier: false)
        let client = try Self.connected(to: hub)
        client.sendText(Self.recover(2, "news:a", 3))
        expectEqual(client.messages(), [subscribed(2, offset: 0, recovered: false)])
        expectEqual(hub.waitCount, 0)
    }

    @Test func positionOfAnotherStoreDoesNotWait() throws {
        let hub = try SteppedLoop()
        let client = try Self.connected(to: hub)
        client.sendText(Self.recover(2, "news:a", 3).replacing(#""e1""#, with: #""e0""#))
        expectEqual(client.messages(), [subscribed(2, offset: 0, recovered: false)])
        expectEqual(hub.questionCount, 0)
    }

    // MARK: In vain

    @Test func subscriberIsToldTheGapAfterTwoSeconds() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        hub.letTimePass(.milliseconds(1999))
        expectEqual(client.messages(), [])
        hub.letTimePass(.milliseconds(1))
        expectEqual(client.messages(), [subscribed(2, offset: 2, recovered: false)])
        hub.answer()
        expectEqual(client.messages(), [], "an answer that comes too late")
        expectEqual(hub.postponedCount, 0)
    }

    @Test func loopWakesAtTheDeadline() throws {
        let hub = try SteppedLoop()
        _ = try Self.waiting(on: hub)
        let now = hub.ask { $0.now }
        expectEqual(hub.loop.step(), now + Loop.positionWaitMax)
    }

    @Test func subscriberIsToldTheGapIfItIsAheadEvenThen() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        hub.answer()
        expectEqual(client.messages(), [subscribed(2, offset: 2, recovered: false)])
    }

    @Test func clientThatHasWaitedInVainDoesNotWaitAgain() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        client.sendText(Self.recover(3, "news:b", 9) + "\n" + Self.recover(4, "news:c", 9))
        hub.letTimePass(.seconds(2))
        let answers = [
            subscribed(2, offset: 2, recovered: false), subscribed(3, offset: 0, recovered: false),
            subscribed(4, offset: 0, recovered: false),
        ]
        expectEqual(client.messages(), answers)
        expectEqual(hub.waitCount, 1)
    }

    @Test func clientThatHasNotWaitedInVainMayWaitAgain() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        hub.publish("news:a", "3")
        hub.answer()
        expectEqual(client.messages(), [subscribed(2, offset: 3, recovered: true)])
        client.sendText(Self.recover(3, "news:b", 1))
        expectEqual(client.messages(), [])
        hub.publish("news:b", "1")
        hub.answer()
        expectEqual(client.messages(), [subscribed(3, offset: 1, recovered: true)])
        expectEqual(hub.waitCount, 2)
    }

    // MARK: The connection meanwhile

    @Test func laterInputWaitsBehindTheCommand() throws {
        let hub = try SteppedLoop()
        let client = try Self.connected(to: hub)
        let unsubscribe = (3...4).map { #"{"id":\#($0),"unsubscribe":{"channel":"news:a"}}"# }
        client.sendText(Self.recover(2, "news:a", 1) + "\n" + unsubscribe[0])
        client.sendText(unsubscribe[1])
        expectEqual(client.messages(), [])
        hub.publish("news:a", "1")
        hub.answer()
        let answers = (3...4).map { #"{"id":\#($0),"unsubscribe":{}}"# }
        expectEqual(client.messages(), [subscribed(2, offset: 1, recovered: true)] + answers)
        client.sendText(#"{"id":5,"unsubscribe":{"channel":"news:a"}}"#)
        expectEqual(client.messages(), [#"{"id":5,"unsubscribe":{}}"#], "it is read again")
    }

    @Test func publicationsOfOtherTopicsGoOn() throws {
        let hub = try SteppedLoop()
        let client = try Self.connected(to: hub)
        client.sendText(#"{"id":2,"subscribe":{"channel":"news:b"}}"#)
        client.sendText(Self.recover(3, "news:a", 1))
        expectEqual(client.messages().count, 1)
        hub.publish("news:b", "1")
        expectEqual(client.messages(), [pushed("news:b", "1", 1)])
    }

    @Test func connectionThatEndsWaitsNoMore() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        expectEqual(hub.postponedCount, 1)
        client.close()
        expectEqual(hub.postponedCount, 0)
        expectEqual(hub.ask { $0.connectionCount }, 0)
        let other = try Self.connected(to: hub)
        hub.answer()
        hub.letTimePass(.seconds(2))
        expectEqual(other.messages(), [], "it may have the place of the other one")
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
    }

    @Test func clientThatTheHubDisconnectsGetsNoAnswer() throws {
        let hub = try SteppedLoop()
        let client = try Self.waiting(on: hub)
        hub.loop.beginDraining()
        hub.run()
        expectEqual(client.messages().count, 1, "the Close frame")
        hub.publish("news:a", "3")
        hub.answer()
        expectEqual(client.messages(), [])
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
    }

    @Test func severalShareTheQuestions() throws {
        let hub = try SteppedLoop()
        let clients = try (0..<3).map { _ in try Self.connected(to: hub) }
        clients[0].sendText(Self.recover(2, "news:a", 1), runs: false)
        clients[1].sendText(Self.recover(2, "news:a", 1))
        expectEqual(hub.questionCount, 1, "of one turn")
        clients[2].sendText(Self.recover(2, "news:b", 1))
        expectEqual(hub.questionCount, 1, "one at a time")
        hub.publish("news:a", "1")
        hub.answer()
        let answer = [subscribed(2, offset: 1, recovered: true)]
        expectEqual(clients.map { $0.messages() }, [answer, answer, []])
        expectEqual(hub.questionCount, 2)
        hub.publish("news:b", "1")
        hub.answer()
        expectEqual(clients[2].messages(), answer)
        expectEqual(hub.questionCount, 2)
        expectEqual(hub.waitCount, 3)
    }

    /// Its second command would be one too many.
    @Test func commandThatWaitsIsCountedOnce() throws {
        let hub = try SteppedLoop {
            $0.rates.connectionCommands = RateLimit(perSecond: 0.001, burst: 1)
        }
        let client = try Self.waiting(on: hub)
        hub.publish("news:a", "3")
        hub.answer()
        expectEqual(client.messages(), [subscribed(2, offset: 3, recovered: true)])
        expectEqual(hub.ask { $0.counted.bounds[.connectionCommands] }, 0)
    }

    // MARK: Rights

    /// The time to the answer would reveal how far the topic is.
    @Test(arguments: ["", #","token":"no token""#])
    func topicThatMayNotBeReadIsRefusedAtOnce(token: String) throws {
        let hub = try SteppedLoop()
        let client = try Self.connected(to: hub)
        let command = Self.recover(2, "closed:a", 9).replacing("}}", with: token + "}}")
        client.sendText(command)
        expectEqual(client.messages().count { $0.hasPrefix(#"{"id":2,"error":{"code":103,"#) }, 1)
        expectEqual(hub.questionCount, 0)
    }

    @Test func tokenOfASubscriptionLetsItWait() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42")
        let client = try hub.connectSession(#""token":"\#(token)""#)
        expectEqual(client.messages().count, 1)
        let granted = #","token":"\#(try tokens.subscription("42", "closed:a"))""#
        let command = Self.recover(2, "closed:a", 1).replacing("}}", with: granted + "}}")
        client.sendText(command)
        expectEqual(client.messages(), [])
        hub.publish("closed:a", "1")
        hub.answer()
        let reply = client.messages()
        expectEqual(reply.count, 1)
        expectEqual(reply.first?.contains(#""recovered":true"#), true, "\(reply)")
    }

    // MARK: Other commands

    @Test func connectCommandWaitsForItsSubscriptions() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42", topics: ["news:a", "news:b"])
        let former = #""subs":{"news:a":{"recover":true,"epoch":"e1","offset":1}}"#
        let client = try hub.connectSession(#""token":"\#(token)",\#(former)"#)
        client.sendText(#"{"id":2,"unsubscribe":{"channel":"news:c"}}"#)
        expectEqual(client.messages(), [])
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
        hub.publish("news:a", "1")
        hub.publish("news:a", "2")
        hub.answer()
        let replies = client.messages()
        expectEqual(replies.count, 2)
        expectEqual(replies.first?.contains(#""recovered":true"#), true, "\(replies)")
        expectEqual(offsets(in: replies.first ?? ""), [2])
        expectEqual(hub.waitCount, 1)
    }

    /// The hub makes only the subscriptions of the token.
    @Test func connectCommandDoesNotWaitForOtherTopics() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let former = #""subs":{"news:a":{"recover":true,"epoch":"e1","offset":1}}"#
        for token in [try tokens.connection("42", topics: ["news:b"]), "no token", ""] {
            _ = try hub.connectSession(#""token":"\#(token)",\#(former)"#)
        }
        expectEqual(hub.questionCount, 0)
    }

    @Test(arguments: [
        (#","since":{"offset":2,"epoch":"e1"}"#, true),
        (#","since":{"offset":1,"epoch":"e1"}"#, false),
        (#","since":{"offset":3,"epoch":"e1"},"reverse":true"#, true),
        // From the end.
        (#","since":{"offset":2,"epoch":"e1"},"reverse":true"#, false),
        (#","since":{"offset":9,"epoch":"e0"}"#, false), ("", false),
    ])
    func historySinceAPositionAheadWaits(fields: String, waits: Bool) throws {
        let hub = try SteppedLoop()
        hub.publish("news:a", "1")
        let client = try Self.connected(to: hub)
        client.sendText(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
        expectEqual(client.messages().count, 1)
        client.sendText(#"{"id":3,"history":{"channel":"news:a","limit":9\#(fields)}}"#)
        expectEqual(client.messages().isEmpty, waits)
        expectEqual(hub.questionCount, (waits ? 1 : 0))
        hub.publish("news:a", "2")
        hub.publish("news:a", "3")
        hub.answer()
        let pages = client.messages().filter { $0.contains(#""history""#) }
        let page = fields.contains("reverse") ? [2, 1] : [3]
        expectEqual(pages.map { offsets(in: $0) }, (waits ? [page] : []))
    }

    @Test func clientWithoutAWebSocketWaits() throws {
        let hub = try SteppedLoop()
        let client = try hub.connect()
        let commands = #"{"id":1,"connect":{}}"# + "\n" + Self.recover(2, "news:a", 1)
        client.send(httpRequest("POST", "/connection/http_stream", body: commands))
        let opened = client.received()
        expect(opened.contains(#""connect":"#))
        expect(!opened.contains(#""subscribe":"#))
        hub.publish("news:a", "1")
        hub.answer()
        expectEqual(client.received(), subscribed(2, offset: 1, recovered: true) + "\n")
    }

    // MARK: With threads

    /// The barrier answers on another thread, behind the publications.
    @Test func loopsOfATransportAskTheBarrier() async throws {
        let hubs = Locked<LoopFixture?>(nil)
        let barrier: PositionBarrier = { completion in
            Task.detached {
                hubs.withLock { $0 }?.publish("news:a", "1", "2")
                completion()
            }
        }
        try await withLoops(barrier: barrier) { hub in
            hubs.withLock { $0 = hub }
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(Self.recover(2, "news:a", 1))
            let missed = #"{"data":2,"offset":2}"#
            expectEqual(reply, subscribed(2, offset: 1, recovered: true, missed: missed))
        }
    }
}
