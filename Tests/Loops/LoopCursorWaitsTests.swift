import Expectations
import HubTesting
import LoopTesting

@testable import Loops

@Suite("Loop: streams whose cursor is ahead", .timeLimit(.minutes(10)))
struct LoopCursorWaitsTests {
    private static let offer = "Sec-WebSocket-Protocol: cloudevents.json"

    /// It has seen cursor 102 on another node, and this one has 101.
    private func waiting(on hub: SteppedLoop) throws -> SteppedClient {
        hub.publish("news:a", "1")
        let client = try hub.connect()
        client.send(httpRequest("GET", "/events?topics=news:a,news:b", ["Last-Event-ID: 102"]))
        expectEqual(client.received(), "")
        expectEqual(hub.questionCount, 1)
        expectEqual(hub.waitCount, 1)
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
        return client
    }

    @Test func streamMissesNothingOnceTheNodeHasCaughtUp() throws {
        let hub = try SteppedLoop()
        let client = try waiting(on: hub)
        for number in 2...4 { hub.publish("news:a", "\(number)") }
        hub.publish("news:c", "0")
        expectEqual(client.received(), "")
        hub.answer()
        let stream = client.received()
        expect(stream.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let events = (3...4).map { "id: 10\($0)\nevent: news:a\ndata: \($0)\n\n" }.joined()
        expect(stream.hasSuffix("\n\n" + events), "\(stream)")
        expect(!stream.contains("event: gap"))
        hub.publish("news:b", "1")
        expectEqual(client.received(), "id: 106\nevent: news:b\ndata: 1\n\n")
        expectEqual(hub.postponedCount, 0)
        expectEqual(hub.waitCount, 1)
    }

    @Test func cursorThatIsReachedDoesNotWait() throws {
        let hub = try SteppedLoop()
        hub.publish("news:a", "1")
        for query in ["&last_event_id=101", "&last_event_id=100", "&since=beginning", ""] {
            let client = try hub.connect()
            client.send(httpRequest("GET", "/events?topics=news:a" + query))
            expect(client.received().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        expectEqual(hub.questionCount, 0)
    }

    @Test func singleNodeAnswersAtOnce() throws {
        let hub = try SteppedLoop(hasBarrier: false)
        let client = try hub.connect()
        client.send(httpRequest("GET", "/events?topics=news:a", ["Last-Event-ID: 102"]))
        expect(client.received().contains(#"data: {"reason":"unknown_cursor""#))
        expectEqual(hub.waitCount, 0)
    }

    /// By the time, or by an answer that does not help.
    @Test(arguments: [true, false])
    func streamIsToldTheGapIfItHasWaitedInVain(isAnswered: Bool) throws {
        let hub = try SteppedLoop()
        let client = try waiting(on: hub)
        if isAnswered {
            hub.answer()
        } else {
            hub.letTimePass(.milliseconds(1999))
            expectEqual(client.received(), "")
            hub.letTimePass(.milliseconds(1))
        }
        expect(client.received().contains(#"data: {"reason":"unknown_cursor""#))
        expectEqual(hub.ask { $0.subscriptionCount }, 2)
    }

    @Test func topicThatMayNotBeReadIsRefusedAtOnce() throws {
        let hub = try SteppedLoop()
        let client = try hub.connect()
        client.send(httpRequest("GET", "/events?topics=closed:a&last_event_id=102"))
        expect(client.received().hasPrefix("HTTP/1.1 403 "))
        expectEqual(hub.questionCount, 0)
    }

    @Test func requestOfTheHeadDoesNotWait() throws {
        let hub = try SteppedLoop()
        let client = try hub.connect()
        client.send(httpRequest("HEAD", "/events?topics=news:a&last_event_id=102"))
        expect(client.received().hasPrefix("HTTP/1.1 200 OK\r\n"))
        expectEqual(hub.questionCount, 0)
    }

    @Test func webSocketOfCloudEventsMissesNothing() throws {
        let hub = try SteppedLoop()
        let client = try hub.connect()
        let target = "/events?topics=news:a&last_event_id=101"
        // A ping that comes along waits, too.
        let ping = clientFrame(LoopTestClient.Frame.ping, Array("still here".utf8))
        client.send(Array(webSocketRequest(target, [Self.offer]).utf8) + ping)
        expectEqual(client.received(), "")
        hub.publish("news:a", "1")
        hub.publish("news:a", #"{"n":2}"#)
        hub.answer()
        let stream = client.received()
        expect(stream.hasPrefix("HTTP/1.1 101 "))
        expect(stream.contains(#""hubcursor":"102","#), "\(stream)")
        expect(!stream.contains("hub.gap"))
        expect(stream.hasSuffix("still here"))
    }

    // MARK: The connection meanwhile

    @Test func readerThatEndsWaitsNoMore() throws {
        let hub = try SteppedLoop()
        let client = try waiting(on: hub)
        client.close()
        expectEqual(hub.ask { $0.connectionCount }, 0)
        expectEqual(hub.postponedCount, 0)
        hub.answer()
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
    }

    /// As for a reader that ends its side while it is served.
    @Test func readerThatSendsNoMoreIsClosed() throws {
        let hub = try SteppedLoop()
        let client = try waiting(on: hub)
        client.finishSending()
        hub.answer()
        _ = client.received()
        expect(client.hasEnded)
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
    }

    /// Without an answer, a browser's `EventSource` comes back.
    @Test func readerIsClosedByAShutdown() throws {
        let hub = try SteppedLoop()
        let client = try waiting(on: hub)
        hub.loop.beginDraining()
        hub.run()
        expectEqual(client.received(), "")
        expect(client.hasEnded)
        hub.answer()
        expectEqual(hub.ask { $0.subscriptionCount }, 0)
    }

    @Test func requestTimeoutEndsWithTheRequest() throws {
        let hub = try SteppedLoop { $0.requestTimeout = .seconds(1) }
        let client = try waiting(on: hub)
        hub.letTimePass(.milliseconds(1500))
        hub.publish("news:a", "2")
        hub.answer()
        expect(client.received().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
}
