import ClientWire
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Loops

@Suite("Loop: CloudEvents", .timeLimit(.minutes(10)))
struct LoopCloudEventsTests {
    private typealias Frame = LoopTestClient.Frame

    private struct Event: Decodable {
        struct Content: Decodable {
            var topics: [String]?
            var reason: String?
            var since: UInt64?
            var through: UInt64?
            var n: Int?
        }

        var id: String
        var type: String
        var source: String
        var hubtopic: String?
        var hubepoch: String?
        var huboffset: String?
        var hubcursor: String
        var data: Content
    }

    private static let offer = "Sec-WebSocket-Protocol: cloudevents.json"

    private func open(
        _ hub: LoopFixture,
        _ query: String,
        receiveBufferSize: Int32? = nil
    ) async throws -> LoopTestClient {
        let client = try hub.connect(receiveBufferSize: receiveBufferSize)
        try await client.send(webSocketRequest("/events?\(query)", [Self.offer]))
        let head = try await client.receiveHead()
        expectEqual(head.status, 101)
        expectEqual(head.fields["sec-websocket-protocol"], "cloudevents.json")
        return client
    }

    private func event(_ client: LoopTestClient) async throws -> Event {
        let text = try await client.receiveTextOrPing()
        return try JSONDecoder().decode(Event.self, from: Data(text.utf8))
    }

    // MARK: Events

    @Test func newReaderIsToldItsPositionAndThenWhatComes() async throws {
        try await withLoops { hub in
            hub.publish("news:a", #"{"n":0}"#)
            let client = try await open(hub, "topics=news:a,news:b")
            let opened = try await event(client)
            expectEqual(opened.type, "hub.opened")
            expectEqual(opened.hubcursor, "101")
            expectEqual(opened.data.topics, ["news:a", "news:b"])

            hub.publish("news:a", #"{"n":1}"#)
            hub.publish("news:c", #"{"n":9}"#)
            hub.publish("news:b", #"{"n":2}"#)
            let first = try await event(client)
            expectEqual(first.id, "e1:news:a:2")
            expectEqual(first.type, "hub.publication")
            expect((first.hubtopic, first.huboffset) == ("news:a", "2"))
            expect((first.hubepoch, first.hubcursor) == ("e1", "102"))
            expectEqual(first.data.n, 1)
            let second = try await event(client)
            expect((second.hubtopic, second.hubcursor) == ("news:b", "104"))
        }
    }

    @Test func eventOfADomainStaysWhatItIs() async throws {
        try await withLoops { hub in
            let client = try await open(hub, "topics=news:a")
            _ = try await event(client)
            hub.publish(
                "news:a",
                #"{"specversion":"1.0","id":"7","source":"/x","type":"x.y","data":{"n":3}}"#
            )
            let event = try await event(client)
            expect((event.id, event.source, event.type) == ("7", "/x", "x.y"))
            expect((event.hubtopic, event.huboffset, event.hubcursor) == ("news:a", "1", "101"))
            expectEqual(event.data.n, 3)
        }
    }

    @Test func clientCannotSpeakInTheNameOfADomain() async throws {
        try await withLoops { hub in
            let reader = try await open(hub, "topics=news:a")
            _ = try await event(reader)
            let writer = try hub.connect()
            try await writer.connectSession()
            let data = #"{"specversion":"1.0","id":"7","source":"/aurora","type":"x","n":5}"#
            _ = try await writer.command(
                #"{"id":2,"publish":{"channel":"news:a","data":\#(data)}}"#
            )
            let event = try await event(reader)
            expect((event.source, event.type, event.data.n) == ("/hub", "hub.publication", 5))
        }
    }

    @Test func readerResumesBehindItsCursor() async throws {
        try await withLoops { hub in
            hub.publish("news:a", #"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#)
            let client = try await open(hub, "topics=news:a&last_event_id=101")
            hub.publish("news:a", #"{"n":4}"#)
            for number in 2...4 {
                let event = try await event(client)
                expectEqual(event.data.n, number)
                expectEqual(event.hubcursor, "10\(number)")
            }
            await expectEqual(hub.loops[0].counted.recoveries, [.complete: 1])
        }
    }

    @Test func readerIsToldOfAGap() async throws {
        try await withLoops { hub in
            hub.publish("brief:a", "{}", "{}", #"{"n":3}"#, #"{"n":4}"#)
            let client = try await open(hub, "topics=brief:a&last_event_id=101")
            let gap = try await event(client)
            expect((gap.type, gap.hubcursor) == ("hub.gap", "102"))
            expect((gap.data.reason, gap.data.topics) == ("evicted", ["brief:a"]))
            expect((gap.data.since, gap.data.through) == (101, 102))
            for number in 3...4 {
                let event = try await event(client)
                expectEqual(event.data.n, number)
            }
            await expectEqual(hub.loops[0].counted.recoveries, [.gap: 1])
        }
    }

    /// What waits for a reader that does not read waits in the history; then it gets that, or the gap.
    @Test func slowReaderLosesNothingWithoutBeingTold() async throws {
        var namespaces = LoopFixture.namespaces
        for index in namespaces.indices { namespaces[index].slowConsumer = .dropOldest }
        try await withLoops(namespaces: namespaces) { hub in
            let client = try await open(hub, "topics=news:a", receiveBufferSize: 4096)
            let padding = String(repeating: "x", count: 64 << 10)
            var published = 0
            func publish() async throws {
                published += 1
                hub.publish("news:a", #"{"n":\#(published),"padding":"\#(padding)"}"#)
                try await hub.settle()
            }
            while await hub.loops[0].counted.held == 0 {
                try require(published < 500, "it is never held")
                try await publish()
            }
            for _ in 0..<5 { try await publish() }
            try await expectEqual(event(client).type, "hub.opened")
            var cursor: UInt64 = 100
            while cursor < 100 + UInt64(published) {
                let event = try await event(client)
                let next = try require(UInt64(event.hubcursor))
                expect(next > cursor, "in order, and each once")
                if event.type != "hub.gap" {
                    expectEqual(next, cursor + 1, "a hole that was not told")
                }
                cursor = next
            }
        }
    }

    // MARK: Requests

    @Test(arguments: [
        ("topics=nowhere:a", 404), ("topics=closed:a", 403), ("", 400),
        ("topics=news:a&last_event_id=x", 400), ("topics=news:a&token=x", 401),
    ])
    func wrongRequestIsRefusedBeforeTheHandshake(query: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(webSocketRequest("/events?\(query)", [Self.offer]))
            let response = try await client.receiveResponse()
            expectEqual(response.status, status)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test(arguments: [[], ["Sec-WebSocket-Protocol: centrifuge-json, cloudevents.avro"]])
    func readerThatDoesNotOfferTheSubprotocolIsRefused(fields: [String]) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(webSocketRequest("/events?topics=news:a", fields))
            let response = try await client.receiveResponse()
            expectEqual(response.status, 400)
            expect(response.body.contains("cloudevents.json"))
        }
    }

    @Test func handshakeThatFailsLeavesNoSubscription() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let request = webSocketRequest("/events?topics=news:a", [Self.offer])
            try await client.send(request.replacing("Version: 13", with: "Version: 12"))
            let response = try await client.receiveResponse()
            expectEqual(response.status, 426)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    // MARK: The end

    @Test(arguments: [Frame.text, Frame.binary])
    func readerThatSpeaksIsClosed(opcode: UInt8) async throws {
        try await withLoops { hub in
            let client = try await open(hub, "topics=news:a")
            try await client.send(clientFrame(opcode, Array("{}".utf8)))
            let close = try await client.receiveClose()
            expect(close == (1003, "inappropriate protocol"))
            await expectEqual(hub.loops[0].subscriptionCount, 0, "nothing comes behind a close")
        }
    }

    @Test func pingIsAnsweredAndCloseConfirmed() async throws {
        try await withLoops { hub in
            let client = try await open(hub, "topics=news:a")
            _ = try await event(client)
            try await client.send(clientFrame(Frame.ping, [1, 2]))
            let pong = try await client.receiveFrame()
            expectEqual(pong, Frame(opcode: Frame.pong, payload: [1, 2]))
            try await client.send(clientFrame(Frame.close, [3, 232]))
            let close = try await client.receiveClose()
            expectEqual(close.code, 1000)
            await client.close()
            try await hub.wait { await hub.loops[0].subscriptionCount == 0 }
        }
    }

    @Test func silentReaderIsPingedAndItsAnswerTimed() async throws {
        let change: (inout LoopSettings) -> Void = { $0.pingInterval = .milliseconds(10) }
        try await withLoops(change) { hub in
            let client = try await open(hub, "topics=news:a")
            _ = try await event(client)
            for _ in 0..<2 {
                let ping = try await client.receiveFrame()
                expectEqual(ping.opcode, Frame.ping)
                try await client.send(clientFrame(Frame.pong, ping.payload))
            }
            while await hub.loops[0].counted.pingRoundTrip.count < 2 { try await hub.settle() }
        }
    }

    @Test func readerThatDoesNotAnswerPingsIsClosed() async throws {
        let change: (inout LoopSettings) -> Void = {
            $0.pingInterval = .milliseconds(10)
            $0.pongTimeout = .milliseconds(10)
        }
        try await withLoops(change) { hub in
            let client = try await open(hub, "topics=news:a")
            let close = try await client.receiveClose()
            expect(close == (1008, "no pong"))
        }
    }

    @Test func readerIsToldThatTheHubStops() async throws {
        try await withLoops { hub in
            let client = try await open(hub, "topics=news:a")
            _ = try await event(client)
            let drain = Task.detached { await hub.transport.drain(timeout: .seconds(3600)) }
            let close = try await client.receiveClose()
            expect(close == (1001, "shutdown"))
            await client.close()
            await drain.value
        }
    }
}
